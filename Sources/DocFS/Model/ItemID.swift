/// What an ``ItemID`` identifies: a document or a directory.
package enum ItemSubject {}

/// The durable identity of a document or directory, the same on every device.
package typealias ItemID = Identifier<ItemSubject>

extension Identifier where Subject == ItemSubject {
    /// The identity of every container's root directory.
    package static var root: ItemID { ItemID(high: 0, low: 0) }

    /// Reads the text form of the identity of something that can move and go; `nil` for anything
    /// else, and for the root.
    package static func item(_ text: some StringProtocol) -> ItemID? {
        ItemID(text: text).flatMap { $0 == .root ? nil : $0 }
    }
}
