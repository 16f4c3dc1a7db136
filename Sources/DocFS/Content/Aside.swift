/// A content file that was put aside.
package struct Aside: Sendable {
    /// Where it lies, for people.
    package let path: String
    /// Whose it was, where that is known: scope and path.
    package var document: String?
    /// The power went before all of it was on the disk; else its edit is to be brought back.
    package let isTorn: Bool

    /// Who is told, and what nobody was told yet.
    struct Told: Sendable {
        var teller: (@Sendable (Aside) -> Void)?
        var untold: [Aside] = []
    }
}
