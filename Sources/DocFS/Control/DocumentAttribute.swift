/// The attributes `user.docfs.*`, in the order of the page Attributes, which a test compares with
/// this.
package enum DocumentAttribute: String, CaseIterable, Sendable {
    case scope = "user.docfs.scope"
    case id = "user.docfs.id"
    case type = "user.docfs.type"
    case download = "user.docfs.download"
    case downloadPercent = "user.docfs.download.percent"
    case downloading = "user.docfs.downloading"
    case upload = "user.docfs.upload"
    case uploadPercent = "user.docfs.upload.percent"
    case state = "user.docfs.state"
    case error = "user.docfs.error"
    case pin = "user.docfs.pin"
    case revision = "user.docfs.revision"
    case device = "user.docfs.device"
    case conflicts = "user.docfs.conflicts"
    case conflictOf = "user.docfs.conflict-of"
    case conflictBase = "user.docfs.conflict-base"
    case bytes = "user.docfs.bytes"
    case bytesHere = "user.docfs.bytes.here"
    case bytesWaiting = "user.docfs.bytes.waiting"
    case escaped = "user.docfs.escaped"
    case confirmation = "user.docfs.confirm-deletes"
    case mending = "user.docfs.mend-log"
    case emptying = "user.docfs.empty-trash"
    case preference = "user.docfs.prefer"
    case farewell = "user.docfs.farewell"
}

extension DocumentAttribute {
    /// What has it.
    package enum Subject: String, Sendable {
        case all = "everything"
        case item = "what lies in a container"
        case conflictVersion = "a conflict version"
        case container = "the directory of a container"
        case mount = "the mount's root"
    }

    package var subject: Subject {
        switch self {
        case .scope: .all
        case .conflictOf, .conflictBase: .conflictVersion
        case .bytes, .bytesHere, .bytesWaiting, .escaped, .confirmation, .mending, .emptying:
            .container
        case .preference, .farewell: .mount
        default: .item
        }
    }

    /// What it says; `nil` for what is set and never answered.
    package var answer: String? {
        switch self {
        case .scope: "the name of the scope"
        case .id: "the identity, the same on every device"
        case .type: "the key of its type in the configuration; empty where it has none"
        case .download: "`none`, `partial` or `current`: how much of it is here"
        case .downloadPercent: "0 to 100: how much of it is here"
        case .downloading: "`true` while bytes of it are being fetched, otherwise `false`"
        case .upload:
            "`uploaded`, `waiting`, `uploading`, `error`, or `excluded`: of this device only"
        case .uploadPercent: "0 to 100: how much of it has been sent"
        case .state:
            "`normal`, or of `closed`, `in-conflict`, `saving-error`, `editing-disabled`, "
                + "`outdated` what holds, with commas"
        case .error: "what is wrong, or was when it was read last; empty for nothing"
        case .pin: "`pinned`, `unpinned` or `inherited`"
        case .revision: "the store's token for the version that this one was made from"
        case .device: "the device that saved the bytes"
        case .conflicts: "how many conflict versions it has"
        case .conflictOf: "the identity of its document"
        case .conflictBase:
            "the earlier version in `.docfs/versions` that both were made from; empty where it is "
                + "not kept"
        case .bytes: "the bytes of all documents"
        case .bytesHere: "the bytes of those that are here"
        case .bytesWaiting: "the bytes of those that are to be sent"
        case .escaped: "how many names stand for others that Linux cannot hold"
        case .confirmation, .mending, .emptying: nil
        case .preference: "the scope of new documents; empty until somebody has chosen"
        case .farewell: "for how many seconds the mount's end waits for what is being sent"
        }
    }

    /// What may be set, and what that does; `nil` where nothing may be.
    package var order: String? {
        switch self {
        case .download: "`current` fetches it, `none` evicts it"
        case .upload: "`now` sends it, or what is in it, at once"
        case .pin: "the same"
        case .confirmation: "anything: deletes that were held go through"
        case .mending: "`container`, `device` or `check`: the change log is mended"
        case .emptying: "a path, or `.`: what was deleted there is destroyed"
        case .preference: "the name of a scope"
        case .farewell: "seconds"
        default: nil
        }
    }
}
