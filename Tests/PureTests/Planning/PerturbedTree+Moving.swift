@testable import DocFS

/// What users do to places, here and on another device.
extension PerturbedTree {
    /// A name in a directory.
    struct Place: Equatable {
        var parent: ItemID
        var name: Name

        init(_ parent: ItemID, _ name: Name) {
            self.parent = parent
            self.name = name
        }
    }

    private func place(_ side: Perturbation.Side, _ item: ItemID) -> Place? {
        switch side {
        case .here: local[item].map { Place($0.view.parent, $0.view.name) }
        case .there: remote[item].map { Place($0.parent, $0.name) }
        }
    }

    private mutating func move(_ side: Perturbation.Side, _ item: ItemID, to place: Place) {
        switch side {
        case .here: moveHere(item, to: place)
        case .there: moveThere(item, to: place)
        }
    }

    private mutating func delete(_ side: Perturbation.Side, _ item: ItemID) {
        switch side {
        case .here: deleteHere(item)
        case .there: deleteThere(item)
        }
    }

    private mutating func makeDirectory(_ side: Perturbation.Side, _ item: ItemID, at place: Place)
    {
        switch side {
        case .here: makeHere(item, place.parent, place.name, .directory, content: 0)
        case .there: makeThere(item, place.parent, place.name, .directory, content: 0)
        }
    }

    /// Does nothing where rename(2) would refuse.
    mutating func moveHere(_ item: ItemID, to place: Place) {
        guard local[item] != nil, isDirectoryHere(place.parent),
            localChild(place.name, of: place.parent) == nil
        else { return }
        var next = place.parent
        while next != .root {
            if next == item { return }
            next = local[next]?.view.parent ?? .root
        }
        local[item]?.view.parent = place.parent
        local[item]?.view.name = place.name
    }

    mutating func moveThere(_ item: ItemID, to place: Place) {
        guard let state = remote[item], isDirectoryThere(place.parent),
            remoteChild(place.name, of: place.parent) == nil,
            !liesInStore(place.parent, below: item)
        else { return }
        remote[item]?.parent = place.parent
        remote[item]?.name = place.name
        if renewsRevisions { setContent(item, renewed(state)) }
    }

    private static let aside = Name("aside")

    mutating func exchange(_ side: Perturbation.Side, _ one: ItemID, _ other: ItemID) {
        guard let first = place(side, one), let second = place(side, other) else { return }
        move(side, one, to: Place(.root, Self.aside))
        move(side, other, to: first)
        move(side, one, to: place(side, other) == first ? second : first)
    }

    mutating func unnest(_ side: Perturbation.Side, _ item: ItemID) {
        guard let old = place(side, item), let freed = place(side, old.parent) else { return }
        move(side, item, to: Place(.root, Self.aside))
        delete(side, old.parent)
        move(side, item, to: freed)
    }

    mutating func wrap(_ side: Perturbation.Side, _ item: ItemID, _ new: ItemID) {
        guard let old = place(side, item) else { return }
        makeDirectory(side, new, at: Place(.root, Self.aside))
        move(side, item, to: Place(new, old.name))
        move(side, new, to: old)
    }

    mutating func supplant(_ side: Perturbation.Side, _ item: ItemID, _ new: ItemID) {
        guard let old = place(side, item) else { return }
        makeDirectory(side, new, at: Place(.root, Self.aside))
        guard place(side, new) != nil else { return }
        for child in items where place(side, child)?.parent == item {
            if let inside = place(side, child) { move(side, child, to: Place(new, inside.name)) }
        }
        delete(side, item)
        move(side, new, to: old)
    }
}
