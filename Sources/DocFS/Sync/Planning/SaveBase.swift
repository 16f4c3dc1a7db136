/// Decides what the saves of one program to one document are made from (S14a).
///
/// A program that has read the document is *behind* from the moment when a version of another
/// device takes the place of what it read. It has caught up once it has read the whole of what is
/// shown now; but not by a reading whose bytes it wrote to another file, since that is how editors
/// make a backup of what they are about to write over.
package struct SaveBase: Hashable, Sendable {
    /// The revision that the program has read, while it is behind; `nil` when it knows what is
    /// shown.
    package private(set) var outdated: Revision?
    /// How often it has read the whole of what is shown, since it is behind and saved last.
    package private(set) var readings = 0

    package init() {}

    /// A version of another device took the place of the one made from `basis`.
    ///
    /// - Parameter justRead: the program has read the whole of that one a moment ago. Until it has
    ///   saved or some time has passed, nobody knows what for.
    package mutating func arrived(insteadOf basis: Revision, justRead: Bool) {
        if outdated == nil || readings > 0 && !justRead { outdated = basis }
        readings = 0
    }

    /// The program has read the whole of what is shown.
    package mutating func read() {
        if outdated != nil { readings += 1 }
    }

    /// What the bytes that the program saves now were made from; `nil` for what is shown.
    ///
    /// - Parameter copies: how many other files that it has written since its last save hold just
    ///   what is shown.
    package mutating func saved(copies: Int) -> Revision? {
        if readings > copies { outdated = nil }
        readings = 0
        return outdated
    }

    /// Some time has passed since the program read anything, in which it has written nothing.
    package mutating func rested() {
        if readings > 0 { outdated = nil }
        readings = 0
    }
}
