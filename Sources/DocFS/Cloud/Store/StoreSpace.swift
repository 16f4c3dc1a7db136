/// How much room a store has, in bytes.
package struct StoreSpace: Hashable, Sendable {
    package var total: UInt64
    package var free: UInt64

    package init(total: UInt64, free: UInt64) {
        self.total = total
        self.free = free
    }
}
