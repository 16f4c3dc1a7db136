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
            // It went with a directory that has moved.
            case (let from?, let to?) where from == to: nil
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
    /// Directories that were watched before and are now, and those that have the inodes of such.
    private var known: Set<LocalIdentity> = []
    private var others: Set<LocalIdentity> = []

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

    /// A directory is the one that was known.
    mutating func add(known directory: LocalIdentity) { known.insert(directory) }

    /// A directory has the inode of one that was known.
    mutating func add(another directory: LocalIdentity) { others.insert(directory) }

    /// - Parameter file: the one that has taken its place; `nil` where it is the same.
    mutating func add(edited path: ItemPath, _ file: LocalIdentity?) {
        edited.append(LocalChange(kind: .edited, path: path, file: file))
    }

    /// - Parameter now: what is at a path now, with everything below it.
    mutating func changes(
        now: (ItemPath) -> [(path: ItemPath, entry: LocalEntry)]
    ) -> [LocalChange] {
        let steps = pair()
        let (from, to) = (steps.compactMap(\Step.from), steps.compactMap(\Step.to))
        let isClear = Set(from).count == from.count && Set(to).count == to.count && !isTorn(steps)
        let told = isClear ? Self.order(steps) : nil
        return (told ?? Self.anew(steps, now)) + edited.sorted { $0.path < $1.path }
    }

    /// Whether a directory has come with all that is in it from nobody knows where.
    private func isTorn(_ steps: [Step]) -> Bool {
        steps.contains { $0.from == nil && known.contains($0.file) }
    }

    /// Where directories have changed places, no order can be followed: all that was there goes,
    /// and all that is there comes.
    private static func anew(
        _ steps: [Step], _ now: (ItemPath) -> [(path: ItemPath, entry: LocalEntry)]
    ) -> [LocalChange] {
        var (files, to): ([ItemPath: LocalIdentity], Set<ItemPath>) = ([:], [])
        for step in steps {
            if let from = step.from { files[from] = step.file }
            if let path = step.to { to.insert(path) }
        }
        var told: [LocalChange] = []
        for (path, file) in files.sorted(by: { $0.key < $1.key })
        where !path.above.contains(where: { files[$0] != nil }) {
            told.append(LocalChange(kind: .deleted, path: path, file: file))
        }
        for path in to.sorted() where !path.above.contains(where: to.contains) {
            for (path, entry) in now(path).sorted(by: { $0.path < $1.path }) {
                told.append(LocalChange(kind: .made, path: path, file: entry.file))
            }
        }
        return told
    }

    // MARK: Pairs

    /// Finds for what has gone where it is now.
    private mutating func pair() -> [Step] {
        var places: [LocalIdentity: Int] = [:]
        for (index, one) in gone.enumerated() where one.moved != .no {
            places[one.entry.file] = index
        }
        var (steps, moved): ([Step], Set<Int>) = ([], [])
        for one in came {
            var from: ItemPath?
            if let index = places[one.entry.file], mayBe(gone[index], one) {
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
        for (index, one) in gone.enumerated() where !moved.contains(index) {
            steps.append(Step(from: one.path, to: nil, entry: one.entry, file: one.top))
        }
        return steps
    }

    private func mayBe(_ gone: Gone, _ came: Came) -> Bool {
        let (old, new) = (gone.entry, came.entry)
        guard new.isSame(as: old) else { return false }
        if old.isDirectory {
            if known.contains(new.file) { return true }
            return gone.moved == .yes && !others.contains(new.file)
        }
        return gone.moved == .yes || old.size == new.size && old.modified == new.modified
    }

    // MARK: The order

    /// Where steps begin, as a reader knows it by then, and where they lead to.
    private struct Pending {
        private(set) var from: Set<ItemPath> = []
        /// How many begin below a path.
        private var below: [ItemPath: Int] = [:]
        private(set) var to: Set<ItemPath> = []

        init(_ steps: some Sequence<Step>) {
            for step in steps { add(step) }
        }

        /// The directory that a step begins in has moved.
        mutating func move(_ step: inout Step, _ old: ItemPath, to new: ItemPath) {
            guard let from = step.from, from.isAtOrBelow(old) else { return }
            remove(step)
            step.from?.follow(old, to: new)
            add(step)
        }

        private mutating func add(_ step: Step) {
            if let from = step.from {
                self.from.insert(from)
                for above in from.above { below[above, default: 0] += 1 }
            }
            if let to = step.to { self.to.insert(to) }
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

    /// - Returns: `nil` where steps wait for one another.
    private static func order(_ steps: [Step]) -> [LocalChange]? {
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
                for index in waiting.indices { pending.move(&waiting[index], from, to: to) }
                for index in rest.index(after: index)..<rest.endIndex {
                    pending.move(&rest[index], from, to: to)
                }
            }
            rest = waiting
        }
        return rest.isEmpty ? told : nil
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
