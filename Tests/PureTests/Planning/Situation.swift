@testable import DocFS

/// One item in the three trees: all that planning is told.
struct Situation {
    var local: LocalView?
    var base: ItemState?
    var remote: ItemState?
    var remoteHasChildren = false
    var lodges = false

    var step: Step {
        Planner.step(
            local: local, base: base, remote: remote, remoteHasChildren: remoteHasChildren,
            lodges: lodges)
    }

    /// Whether the item was moved or deleted here.
    var isAwayFromBase: Bool {
        guard let base else { return false }
        guard let local else { return true }
        return local.parent != base.parent || local.name != base.name
    }
}
