/// One folder of Sources/DocFS with its row in the table of rooms.
struct Room {
    /// What a room may name of another one.
    enum View: Hashable {
        /// Every top-level type.
        case all(String)
        /// Protocols only: the room is above, and is reached through what it promised.
        case protocols(String)
        /// These types and no others.
        case only(String, Set<String>)

        var folder: String {
            switch self {
            case .all(let folder), .protocols(let folder), .only(let folder, _): folder
            }
        }

        /// Whether a type of that folder may be named.
        func shows(_ name: String, declaredBy keyword: String) -> Bool {
            switch self {
            case .all: true
            case .protocols: keyword == "protocol"
            case .only(_, let names): names.contains(name)
            }
        }
    }

    /// Its path below Sources/DocFS: a file belongs to the room with the longest folder around it.
    let folder: String
    /// What the room is for, for messages.
    let purpose: String
    let views: [View]
    let imports: Set<String>
    /// Words that the room's code must not contain, and why.
    var bannedWords: [String: String] = [:]
    var mayNameErrno = false
    /// Whether it may use what CFuse declares.
    ///
    /// Other rooms import CFuse only because the compiler
    /// takes it for the home of `stat` and `timespec` (MemberImportVisibility).
    var mayCallC = false
    /// Lines in one file.
    var fileLimit = 500
}
