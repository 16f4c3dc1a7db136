package import DocFS
internal import Foundation

extension JSONTree {
    /// An item's state as records and snapshots write it, of names that are printable ASCII.
    package init(_ state: ItemState) {
        var members = [
            Member("kind", .string("directory")),
            Member("mode", .literal("\(state.metadata.mode)")),
            Member(
                "mtime",
                .array([
                    .literal("\(state.metadata.modified.seconds)"),
                    .literal("\(state.metadata.modified.nanoseconds)"),
                ])),
            Member("name", .string(state.name.description)),
            Member("parent", .string(state.parent.description)),
        ]
        switch state.content {
        case .directory: break
        case .file(let body):
            members[0].value = .string("file")
            members.append(Member("rev", .string(body.revision.token)))
            if let digest = body.digest {
                members.append(Member("sha256", .string(digest.description)))
            }
            members.append(Member("size", .literal("\(body.size)")))
        case .symlink(let target, let revision):
            members[0].value = .string("symlink")
            members.append(Member("rev", .string(revision.token)))
            members.append(Member("target", .string(Data(target).base64EncodedString())))
        }
        if let mark = state.conflictOf {
            members.append(Member("conflictOf", .string(mark.document.description)))
            if let base = mark.base {
                members.append(Member("conflictBase", .string(base.token)))
            }
        }
        self = .object(members)
    }
}
