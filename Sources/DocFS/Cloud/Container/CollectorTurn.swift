/// Who collects, and when it was done before: what the container's `collector.json` says.
package struct CollectorTurn: Hashable, Sendable {
    package var device: DeviceID
    /// Drawn for each write, so that no two have the same revision: whether the collector is alive
    /// is seen by that.
    package var operation: OperationID
    package var isAtWork: Bool
    /// When the last collections began, by the store's clock, the oldest first.
    package var collections: [Timestamp]

    package init(
        device: DeviceID, operation: OperationID, isAtWork: Bool, collections: [Timestamp]
    ) {
        self.device = device
        self.operation = operation
        self.isAtWork = isAtWork
        self.collections = collections
    }
}
