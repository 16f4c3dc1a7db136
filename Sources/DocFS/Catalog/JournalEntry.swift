/// One intended effect on the store that is not yet acknowledged.
package struct JournalEntry: Hashable, Sendable {
    package var operation: OperationID
    package var scope: Int64
    package var item: ItemID
    /// What is to be done, in the container's JSON.
    package var effect: [UInt8]

    package init(operation: OperationID, scope: Int64, item: ItemID, effect: [UInt8]) {
        self.operation = operation
        self.scope = scope
        self.item = item
        self.effect = effect
    }
}
