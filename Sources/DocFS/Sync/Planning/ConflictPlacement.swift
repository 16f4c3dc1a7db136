/// Where a conflict version belongs once it, or its document, has moved to another scope (S17,
/// S24).
package enum ConflictPlacement: Hashable, Sendable {
    /// Where its document is: it is its conflict version there.
    case linked
    /// Where its document has gone.
    case follows
    /// Where it is, until both are in one scope.
    case waits
    /// Where it is, as a document of its own.
    case detached

    /// - Parameters:
    ///   - document: the scope of its document; `nil` says that there is none now.
    ///   - version: its own scope.
    ///   - movedAlone: it was moved without its document.
    ///   - hasOwnName: it has the name that it had as a conflict version.
    package init(document: Int64?, version: Int64, movedAlone: Bool, hasOwnName: Bool) {
        if !hasOwnName {
            self = .detached
        } else if document == version {
            self = .linked
        } else {
            self = movedAlone || document == nil ? .waits : .follows
        }
    }

    /// Whether a conflict version that was moved within its container is one still: under its own
    /// name, beside its document.
    ///
    /// - Parameters:
    ///   - directory: the row of the directory that it has moved to.
    ///   - document: that of its document's; `nil` when there is none.
    package static func keepsMark(hasOwnName: Bool, directory: Int64?, document: Int64?) -> Bool {
        hasOwnName && document != nil && document == directory
    }
}
