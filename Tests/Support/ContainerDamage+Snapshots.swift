/// Snapshots that are well formed and say what no records come to.
extension ContainerDamage {
    mutating func damageSnapshot() {
        guard let path = files.pages.first, var page = files.tree(path),
            var entries = page[key: "items"]?.elements, !entries.isEmpty
        else { return }
        var circle: String?
        let words: String
        switch values.index(below: 8) {
        case 0...1: (words, circle) = makeCircle(in: &entries)
        case 2: words = makeDeep(&entries)
        case 3: words = makeTwins(in: &entries)
        case 4: words = repeatKept(in: &page)
        default: words = damageEntries(&entries)
        }
        if !values.isOnce(in: 8) {
            entries.sort { ($0[key: "item"]?.text ?? "") < ($1[key: "item"]?.text ?? "") }
        }
        page[key: "items"] = .array(entries)
        replace(path, page.bytes, words)
        if let circle, !values.isOnce(in: 3) { forgeMove(below: circle) }
    }

    private static func entry(_ id: String, name: String, parent: String) -> JSONTree {
        .object([
            JSONTree.Member("item", .string(id)),
            JSONTree.Member(
                "state",
                .object([
                    JSONTree.Member("kind", .string("directory")),
                    JSONTree.Member("mode", .literal("493")),
                    JSONTree.Member("mtime", .array([.literal("1700000000"), .literal("0")])),
                    JSONTree.Member("name", .string(name)),
                    JSONTree.Member("parent", .string(parent)),
                ])),
        ])
    }

    /// New directories of which each is in the next, the last in the first.
    ///
    /// - Returns: with the words, a directory of the circle.
    private mutating func makeCircle(in entries: inout [JSONTree]) -> (String, String?) {
        let ids = (0..<values.pick([1, 1, 2, 3])).map { _ in values.newIdentity() }
        for (index, id) in ids.enumerated() {
            let parent = ids[(index + 1) % ids.count]
            entries.append(Self.entry(id, name: "circle\(index)", parent: parent))
        }
        if values.isOnce(in: 2) {
            // With something in it that is known.
            let index = values.index(below: entries.count - ids.count)
            entries[index][key: "state"]?[key: "parent"] = .string(ids[0])
        }
        return ("a circle of \(ids)", ids[0])
    }

    private mutating func makeDeep(_ entries: inout [JSONTree]) -> String {
        let count = values.pick([30, 300, 600, 5_000])
        let isRising = values.isOnce(in: 2)
        var parent = HostileValues.root
        for index in 0..<count {
            let digits = String(isRising ? index : count - index)
            let id = "1" + String(repeating: "0", count: 31 - digits.count) + digits
            entries.append(Self.entry(id, name: "d", parent: parent))
            parent = id
        }
        return "\(count) directories in each other, ids \(isRising ? "rising" : "falling")"
    }

    /// Two of one name in one directory, or of one identity.
    private mutating func makeTwins(in entries: inout [JSONTree]) -> String {
        let one = values.index(below: entries.count)
        let other = values.index(below: entries.count)
        if values.isOnce(in: 3) {
            entries[one][key: "item"] = entries[other][key: "item"]
            return "items \(one) and \(other) have one identity"
        }
        guard let state = entries[other][key: "state"] else { return "" }
        entries[one][key: "state"]?[key: "name"] = state[key: "name"]
        entries[one][key: "state"]?[key: "parent"] = state[key: "parent"]
        return "items \(one) and \(other) have one name"
    }

    /// Versions, trash or what was left behind, a thousand times over.
    private mutating func repeatKept(in page: inout JSONTree) -> String {
        let key = values.pick(["versions", "trash", "leftovers"])
        guard var elements = page[key: key]?.elements else { return "" }
        if elements.isEmpty, key == "leftovers" {
            elements = [.object([JSONTree.Member("path", .string(values.path()))])]
        }
        guard !elements.isEmpty else { return "no \(key)" }
        let index = values.index(below: elements.count)
        var words: [String] = []
        for number in 0..<values.pick([1, 2, 1_000]) {
            var element = elements[index]
            if element[key: "op"] != nil { element[key: "op"] = .string(values.newIdentity()) }
            if element[key: "rev"] != nil { element[key: "rev"] = .string("again\(number)") }
            let node = values.index(below: element.count - 1) + 1
            var values = values
            element.change(node) { node, place in
                node = values.value(at: place, instead: node)
                if number < 3 { words.append("\(place) = \(Self.shown(node))") }
            }
            self.values = values
            elements.append(element)
        }
        page[key: key] = .array(elements)
        return "\(elements.count) \(key): \(words.joined(separator: "; "))"
    }

    /// Values of items that no device writes.
    private mutating func damageEntries(_ entries: inout [JSONTree]) -> String {
        var words: [String] = []
        for _ in 0..<values.pick([1, 1, 2]) {
            let index = values.index(below: entries.count)
            if values.isOnce(in: 5) {
                let id = values.identity()
                entries[index][key: "item"] = .string(id)
                words.append("item \(index) is \(id)")
                continue
            }
            // It may have been damaged into something without members.
            guard var state = entries[index][key: "state"], !state.members.isEmpty else {
                continue
            }
            var members = state.members
            let member = values.index(below: members.count)
            members[member].value = values.value(
                at: members[member].key, instead: members[member].value)
            words.append(
                "item \(index): \(members[member].key) = \(Self.shown(members[member].value))")
            state.members = members
            entries[index][key: "state"] = state
        }
        return words.joined(separator: "; ")
    }
}
