/// What must be at a path for a write to take effect.
package enum WriteCondition: Hashable, Sendable {
    case absent
    case revision(Revision)
}
