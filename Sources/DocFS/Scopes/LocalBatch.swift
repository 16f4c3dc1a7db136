/// All that a look at `Local/` has found, put together to changes that a reader can follow: each is
/// told as it is after those before it.
struct LocalBatch {
    /// Whether something that has gone from its place is somewhere else.
    enum Moved: Hashable {
        case no
        /// If it is the same, as far as one can see: the kernel has not told.
        case perhaps
        case yes
    }

    private struct Gone {
        let path: ItemPath
        let entry: LocalEntry
        let top: LocalIdentity
        let moved: Moved
    }

    private struct Came {
        let path: ItemPath
        let entry: LocalEntry
        let hasAttributes: Bool
    }

    /// Something that a reader has to be told; without a former place it has come, without a new
    /// one it has gone.
    fileprivate struct Step {
        var from: ItemPath?
        let to: ItemPath?
        let entry: LocalEntry
        let file: LocalIdentity

        var change: LocalChange? {
            switch (from, to) {
            case (let from?, let to?):
                LocalChange(kind: .moved(from: from), path: to, file: file)
            case (let from?, nil): LocalChange(kind: .deleted, path: from, file: file)
            case (nil, let to?): LocalChange(kind: .made, path: to, file: file)
            case (nil, nil): nil
            }
        }
    }

    private var gone: [Gone] = []
    private var came: [Came] = []
    private var edited: [LocalChange] = []

    /// - Parameters:
    ///   - path: as it was before.
    ///   - top: the directory that it has gone with, or itself.
    mutating func add(
        gone path: ItemPath, _ entry: LocalEntry, with top: LocalIdentity, moved: Moved
    ) {
        gone.append(Gone(path: path, entry: entry, top: top, moved: moved))
    }

    mutating func add(came path: ItemPath, _ entry: LocalEntry, hasAttributes: Bool = false) {
        came.append(Came(path: path, entry: entry, hasAttributes: hasAttributes))
    }

    /// - Parameter file: the one that has taken its place; `nil` where it is the same.
    mutating func add(edited path: ItemPath, _ file: LocalIdentity?) {
        edited.append(LocalChange(kind: .edited, path: path, file: file))
    }

    /// - Parameter below: everything that lies in a directory now.
    mutating func changes(below: (LocalIdentity) -> [(ItemPath, LocalEntry)]) -> [LocalChange] {
        var steps = pair(below)
        var (told, circle) = Self.order(steps)
        while let broken = circle {
            steps = Self.split(steps, at: broken, below)
            (told, circle) = Self.order(steps)
        }
        return told + edited.sorted { $0.path < $1.path }
    }

    // MARK: Pairs

    /// Finds for what has gone where it is now.
    private mutating func pair(_ below: (LocalIdentity) -> [(ItemPath, LocalEntry)]) -> [Step] {
        var places: [LocalIdentity: Int] = [:]
        for (index, one) in gone.enumerated() where one.moved != .no {
            places[one.entry.file] = index
        }
        var (steps, moved): ([Step], Set<Int>) = ([], [])
        for one in came {
            var from: ItemPath?
            if let index = places[one.entry.file], Self.mayBe(gone[index], one) {
                places[one.entry.file] = nil
                moved.insert(index)
                from = gone[index].path
                if one.entry.differs(from: gone[index].entry, one.hasAttributes) {
                    add(edited: one.path, nil)
                }
            }
            steps.append(
                Step(from: from, to: one.path, entry: one.entry, file: one.entry.file))
        }
        // One that has come from nobody knows where brings all that is in it.
        let known = Set(came.map(\.path))
        for step in steps where step.from == nil {
            steps += Self.made(in: step, but: known, below)
        }
        for (index, one) in gone.enumerated() where !moved.contains(index) {
            steps.append(Step(from: one.path, to: nil, entry: one.entry, file: one.top))
        }
        return steps
    }

    /// Steps for all that is in a directory which has come.
    ///
    /// - Parameter known: what has steps of its own, with all that is in it.
    private static func made(
        in step: Step, but known: Set<ItemPath>,
        _ below: (LocalIdentity) -> [(ItemPath, LocalEntry)]
    ) -> [Step] {
        guard step.entry.isDirectory, let top = step.to else { return [] }
        return below(step.file).compactMap { (path, entry) in
            let isKnown = ([path] + path.above).contains { other in
                other != top && other.isAtOrBelow(top) && known.contains(other)
            }
            return isKnown ? nil : Step(from: nil, to: path, entry: entry, file: entry.file)
        }
    }

    private static func mayBe(_ gone: Gone, _ came: Came) -> Bool {
        let (old, new) = (gone.entry, came.entry)
        guard new.isSame(as: old) else { return false }
        return gone.moved == .yes || old.isDirectory
            || old.size == new.size && old.modified == new.modified
    }

    // MARK: The order

    /// Where steps begin, as a reader knows it by then, and where they lead to.
    private struct Pending {
        private(set) var from: Set<ItemPath> = []
        /// How many begin below a path.
        private var below: [ItemPath: Int] = [:]
        private(set) var to: Set<ItemPath> = []

        init(_ steps: some Sequence<Step>) {
            for step in steps {
                if let from = step.from {
                    self.from.insert(from)
                    for above in from.above { below[above, default: 0] += 1 }
                }
                if let to = step.to { self.to.insert(to) }
            }
        }

        mutating func remove(_ step: Step) {
            if let from = step.from {
                self.from.remove(from)
                for above in from.above { below[above, default: 1] -= 1 }
            }
            if let to = step.to { self.to.remove(to) }
        }

        /// Whether a reader can follow: what goes is empty, and what comes finds its directory, and
        /// nothing in its place.
        func allow(_ step: Step) -> Bool {
            guard let to = step.to else { return below[step.from ?? .root, default: 0] == 0 }
            let isFree = step.from == to || !from.contains(to)
            return isFree && !to.above.contains(where: self.to.contains)
        }
    }

    /// - Returns: what is to be told, up to where steps wait for one another, and the first of
    ///   those; `nil` where none does.
    private static func order(_ steps: [Step]) -> (told: [LocalChange], circle: Step?) {
        var rest = steps.sorted { $0.isBefore($1) }
        var pending = Pending(rest)
        var told: [LocalChange] = []
        var isFollowed = true
        while isFollowed, !rest.isEmpty {
            isFollowed = false
            var waiting: [Step] = []
            for index in rest.indices {
                let step = rest[index]
                guard pending.allow(step) else {
                    waiting.append(step)
                    continue
                }
                isFollowed = true
                if let change = step.change { told.append(change) }
                pending.remove(step)
                guard let from = step.from, let to = step.to, step.entry.isDirectory else {
                    continue
                }
                // Whatever lies in it is known to have moved with it.
                for index in waiting.indices { waiting[index].from?.follow(from, to: to) }
                for index in rest.index(after: index)..<rest.endIndex {
                    rest[index].from?.follow(from, to: to)
                }
                pending = Pending(waiting + rest[rest.index(after: index)...])
            }
            rest = waiting
        }
        let circle = rest.first { $0.from != nil && $0.to != nil }
        if circle == nil { told += rest.compactMap(\Step.change) }
        return (told, circle)
    }

    /// Directories have changed places: the one of `circle` goes for a reader, with all that was in
    /// it, and comes anew.
    private static func split(
        _ steps: [Step], at circle: Step, _ below: (LocalIdentity) -> [(ItemPath, LocalEntry)]
    ) -> [Step] {
        guard let old = steps.first(where: { $0.to == circle.to })?.from else { return [] }
        let known = Set(steps.compactMap(\.to))
        var split = [Step(from: old, to: nil, entry: circle.entry, file: circle.file)]
        for step in steps {
            guard let from = step.from, from.isAtOrBelow(old) else {
                split.append(step)
                continue
            }
            guard let to = step.to else { continue }
            let made = Step(from: nil, to: to, entry: step.entry, file: step.file)
            split += [made] + Self.made(in: made, but: known, below)
        }
        return split
    }
}

extension LocalBatch.Step {
    /// What goes is told first, the deepest before all; then what moves and comes.
    fileprivate func isBefore(_ other: Self) -> Bool {
        guard let to, let otherTo = other.to else {
            guard to == nil, other.to == nil else { return to == nil }
            let (own, others) = (from ?? .root, other.from ?? .root)
            return (others.components.count, own) < (own.components.count, others)
        }
        return to < otherTo
    }
}

extension ItemPath {
    /// The directories that it lies in, but for the root.
    fileprivate var above: some Sequence<ItemPath> {
        (1..<max(1, components.count)).lazy.map { ItemPath(Array(components.prefix($0))) }
    }

    /// A directory has moved: what lies in it has moved with it.
    fileprivate mutating func follow(_ old: ItemPath, to new: ItemPath) {
        guard isAtOrBelow(old) else { return }
        self = ItemPath(new.components + components.dropFirst(old.components.count))
    }
}
