/// What one setattr asks for; everything that is not set stays as it is.
package struct AttributeChange: Sendable {
    /// Permission bits, 0o7777.
    package var mode: UInt32?
    package var owner: UInt32?
    package var group: UInt32?
    /// Bytes.
    package var size: UInt64?
    package var accessed: TimeChange = .keep
    package var modified: TimeChange = .keep

    package init() {}

    /// Whether nothing is to be set: chown(2) with neither owner nor group, which moves the change
    /// time and takes set-id bits away.
    var isEmpty: Bool {
        mode == nil && owner == nil && group == nil && size == nil && accessed == .keep
            && modified == .keep
    }

    /// Whether it is for a row of a cloud scope to keep: sizes are the content's, access times
    /// nobody's.
    var isKept: Bool {
        mode != nil || owner != nil || group != nil || modified != .keep || isEmpty
    }
}
