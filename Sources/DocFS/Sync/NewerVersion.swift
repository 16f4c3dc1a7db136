/// A version of another device or program that waits until programs here close the document (S9).
struct NewerVersion: Sendable {
    let item: ItemID
    let content: ItemContent
    let saver: Saver?
    /// Tells of it.
    let event: DocumentEvent
}
