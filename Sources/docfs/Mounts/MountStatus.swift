/// What `.docfs/status.json` says.
struct MountStatus: Codable {
    struct Scope: Codable {
        struct Failed: Codable {
            var path: String
            var error: String
        }

        struct Outdated: Codable {
            var path: String
            /// Which device saved the newer version, and when; `nil` where nobody knows, and for
            /// another program's.
            var device: String?
            /// ISO 8601, UTC.
            var saved: String?
            /// Why it could not be had, when that was tried last.
            var error: String?

            /// For people.
            var text: String {
                let moment = saved.flatMap { Moment(utc: $0) }?.text
                let words = [device, moment].compactMap(\.self)
                return path + (words.isEmpty ? "" : ": " + words.joined(separator: ", "))
                    + (error.map { "; it cannot be had: \($0)" } ?? "")
            }
        }

        /// Documents on their way in one direction.
        struct Transfer: Codable {
            /// Bytes that have arrived, of all of those documents.
            var done: UInt64
            var total: UInt64
            /// Bytes per second, over the last seconds.
            var rate: UInt64
        }

        var name: String
        /// Where its store is, for people.
        var store: String
        var online: Bool
        /// Why it is not, or what is wrong.
        var error: String?
        /// What to do about it, where that is no matter of waiting.
        var advice: String?
        /// What is wrong with its change log: `went-back` or `damaged`.
        var log: String?
        /// The change log is being mended; what came of it the last time.
        var mending: Bool?
        var mended: String?
        /// What the store guarantees, where that is worth a word.
        var guarantee: String?
        /// The store takes no changes from this device.
        var readOnly: Bool?
        /// Why no other device has its documents.
        var alone: String?
        /// Why changes by other programs are found late.
        var unseen: String?
        var documents: Int
        /// Bytes of all documents, and of those of them that are wholly on this computer: not in
        /// the report itself, since to count them takes a while.
        var bytes: UInt64?
        var bytesHere: UInt64?
        /// Bytes that are to be sent, those on their way included; not in the report either.
        var bytesWaiting: UInt64?
        /// Names that stand for those of the store which Linux cannot hold (S30): likewise.
        var escaped: UInt64?
        var pending: Int
        var journal: Int
        var uploading: Int
        var downloading: Int
        var sending: Transfer?
        var receiving: Transfer?
        var conflicts: Int
        var excluded: Int
        /// Earlier versions that were removed here, and whose bodies the store may still have.
        var leavingVersions: Int?
        var failures: [Failed]
        var heldDeletes: Int
        /// Changes in the container's log that no device takes, since they break its rules.
        var setAside: [String]?
        /// Paths of other programs' documents that are not shown, since directories have the names.
        var leftOut: [String]?
        /// Directories of the store that may not be listed, each with the reason.
        var unlisted: [String]?
        /// Paths of what the store does not have yet; some of them, where there are many.
        var waiting: [String]?
        /// Paths of documents that wait since programs keep them open for writing.
        var open: [String]?

        /// How many open documents wait for nothing but a newer version of another device, which
        /// is shown when they are closed; they are among ``pending``.
        var updatesWaiting: Int?
        /// Open documents of which another device has saved a version since.
        var outdated: [Outdated]?

        /// How many edits and moves the store does not have yet.
        var left: Int { max(pending - (updatesWaiting ?? 0), journal, uploading) }

        /// Whether there may be something that the store does not have yet.
        var isBusy: Bool { pending > 0 || journal > 0 || uploading > 0 }

        /// How many of them go to the store at this moment, or may within seconds.
        var onItsWay: Int {
            // Without a reason it is not known yet: right after the start.
            !online && error != nil || readOnly == true ? 0 : left
        }

        /// Why `count` edits wait.
        func offline(_ count: Int) -> Failure {
            let reason = error.map { ": " + $0 } ?? ""
            return Failure("\(name) is offline, and \(count) edits wait\(reason)")
        }
    }

    /// A kind of document that `docfs new` makes (S27).
    struct DocumentType: Codable {
        var type: String
        /// Empty for none.
        var `extension`: String
        var name: String
        var naming: String
        /// `ask`, `newest` or `merge` (S18).
        var conflicts: String?
        /// The media type of its documents.
        var mime: String?

        /// Whether a document of this name is one: whatever the case of its extension.
        func covers(_ name: String) -> Bool {
            let lower = name.lowercased()
            if self.extension.isEmpty { return !lower.dropFirst().contains(".") }
            return lower.hasSuffix("." + self.extension.lowercased())
        }
    }

    var version: Int
    var mount: String
    var scopes: [Scope]
    var types: [DocumentType]
    /// What the user is to know about this device.
    var notes: [String]?

    /// The type of a document of this name: of several that cover it, the one with the longest
    /// extension.
    func type(of name: String) -> DocumentType? {
        types.filter { $0.covers(name) }.max { $0.extension.utf8.count < $1.extension.utf8.count }
    }
}
