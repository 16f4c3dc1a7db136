/// Records that a device could have written, but for what they say.
extension ContainerDamage {
    /// Appends one to three records with changes whose preconditions hold.
    mutating func forge() {
        for _ in 0..<values.pick([1, 1, 2, 3]) {
            var changes: [JSONTree] = []
            for _ in 0..<values.pick([1, 1, 2, 4]) { changes.append(forgedChange()) }
            append(changes)
        }
    }

    /// Appends a record that moves a directory below `parent`.
    mutating func forgeMove(below parent: String) {
        guard
            let index = items.indices.first(where: {
                items[$0].isDirectory && items[$0].id != parent
            })
        else { return }
        var after = items[index].state
        after[key: "parent"] = .string(parent)
        append([change(items[index].id, before: items[index].state, after: after)])
        items[index].state = after
    }

    private mutating func forgedChange() -> JSONTree {
        let id = target()
        let index = items.firstIndex { $0.id == id }
        let before = index.map { items[$0].state }
        var after = before.map { changed($0, of: id) } ?? created()
        for _ in 0..<values.pick([0, 0, 1, 1, 2]) { damageState(&after) }
        let isRemoval = index != nil && values.isOnce(in: 7)
        var change = change(id, before: before, after: isRemoval ? nil : after)
        if values.isOnce(in: 8) { damageChange(&change) }
        if isRemoval, let index {
            items.remove(at: index)
        } else if let index {
            items[index].state = after
        } else {
            items.append(Item(id: id, state: after))
        }
        return change
    }

    private mutating func target() -> String {
        if values.isOnce(in: 8) { return HostileValues.root }
        return values.isOnce(in: 4) || items.isEmpty
            ? values.newIdentity() : values.pick(items).id
    }

    /// A change as records tell it.
    private mutating func change(_ id: String, before: JSONTree?, after: JSONTree?) -> JSONTree {
        var members: [JSONTree.Member] = []
        if let after { members.append(JSONTree.Member("after", after)) }
        if let before {
            let place = before.members.filter { ["name", "parent", "rev"].contains($0.key) }
            members.append(JSONTree.Member("before", .object(place)))
        }
        members.append(JSONTree.Member("item", .string(id)))
        members.append(JSONTree.Member("op", .string(values.newIdentity())))
        if before != nil, values.isOnce(in: 3) {
            members.append(JSONTree.Member("kept", .string(".docfs/trash/2026-01-01/0/a")))
        }
        return .object(members)
    }

    // MARK: States

    private mutating func parent() -> String {
        let directories = items.filter(\.isDirectory)
        switch values.index(below: 10) {
        case 0..<4: return HostileValues.root
        case 4..<8 where !directories.isEmpty: return values.pick(directories).id
        default: return values.identity()
        }
    }

    private mutating func created() -> JSONTree {
        let kind = values.pick(["file", "directory", "symlink"])
        var state: JSONTree = .object([
            JSONTree.Member("kind", .string(kind)),
            JSONTree.Member("mode", .literal("420")),
            JSONTree.Member("mtime", .array([.literal("1700000000"), .literal("1")])),
            JSONTree.Member("name", .string("forged\(values.index(below: 1_000))")),
            JSONTree.Member("parent", .string(parent())),
        ])
        if kind != "directory" { state[key: "rev"] = .string("r\(values.index(below: 200))") }
        if kind == "file" {
            state[key: "size"] = .literal("\(values.index(below: 100))")
            if values.isOnce(in: 2) {
                state[key: "sha256"] = .string(String(repeating: "ab", count: 32))
            }
        }
        if kind == "symlink" { state[key: "target"] = .string("Li4vLi4vZXRjL3Bhc3N3ZA==") }
        return state
    }

    private mutating func changed(_ state: JSONTree, of id: String) -> JSONTree {
        var state = state
        switch values.index(below: 8) {
        case 0: state[key: "parent"] = .string(id)
        case 1: state[key: "parent"] = .string(parent())
        case 2: state[key: "name"] = .string("moved\(values.index(below: 1_000))")
        case 3: state[key: "mtime"] = .array([values.number(), .literal("0")])
        case 4:
            state[key: "rev"] = .string(values.revision())
            state[key: "size"] = values.number()
        case 5: state[key: "conflictOf"] = .string(values.isOnce(in: 2) ? id : values.identity())
        case 6: state = created()
        default:
            // Under another's name.
            if !items.isEmpty {
                let other = values.pick(items).state
                state[key: "name"] = other[key: "name"]
                state[key: "parent"] = other[key: "parent"]
            }
        }
        return state
    }

    /// One or two of its values are what no device writes.
    private mutating func damageState(_ state: inout JSONTree) {
        guard !state.members.isEmpty else { return }
        var members = state.members
        let index = values.index(below: members.count)
        members[index].value = values.value(
            at: members[index].key, instead: members[index].value)
        if values.isOnce(in: 12) {
            members.append(
                JSONTree.Member("xattrs", values.value(at: "xattrs", instead: .object([]))))
        }
        if values.isOnce(in: 12) {
            members.append(JSONTree.Member("conflictOf", .string(values.identity())))
            members.append(JSONTree.Member("conflictBase", .string(values.revision())))
        }
        state = .object(members)
    }

    private mutating func damageChange(_ change: inout JSONTree) {
        switch values.index(below: 5) {
        case 0: change[key: "object"] = .string(values.path())
        case 1: change[key: "kept"] = .string(values.path())
        case 2: change[key: "sameBody"] = .literal("true")
        case 3: change[key: "removed"] = created()
        default: change[key: "op"] = .string(String(repeating: "5", count: 32))
        }
    }
}
