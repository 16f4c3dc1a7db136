package import Synchronization

/// A mutex that closures can share.
package final class Shared<Value: Sendable>: Sendable {
    package let value: Mutex<Value>

    package init(_ value: Value) { self.value = Mutex(value) }
}
