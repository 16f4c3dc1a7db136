internal import Synchronization

/// Which file each of the kernel's node ids means, and how often the kernel was told.
///
/// Node ids are counted up and never used twice within one mount, so that a late answer of the
/// kernel can never reach another file; the generation is therefore constant. Two tables, both in
/// shards: node id → file and lookup count, and file number → node ids. Lock order: the number's
/// shard before the node's. Safe to use from any thread.
package final class InodeTable: Sendable {
    /// The mount's root (FUSE_ROOT_ID): always known, never counted.
    package static let rootNode: UInt64 = 1

    private struct Inode {
        var number: FileNumber
        var lookups: UInt64
        var mode = OpenMode()
    }

    /// What one more lookup came to.
    package struct Remembered: Sendable {
        package let node: UInt64
        /// Whether the kernel did not know the file before.
        package let isNew: Bool
    }

    /// The node ids of one file: nearly always exactly one.
    private struct Nodes {
        var first: UInt64
        var others: [UInt64] = []
    }

    private typealias Numbers = [FileNumber: Nodes]
    private typealias Inodes = [UInt64: Inode]

    private let numbers: InlineArray<64, Mutex<Numbers>>
    private let inodes: InlineArray<64, Mutex<Inodes>>
    private let lastNode = Atomic<UInt64>(InodeTable.rootNode)
    private let known: @Sendable (FileNumber) -> Void
    private let unknown: @Sendable (FileNumber) -> Void

    /// `known` is told when the kernel first knows a number, `unknown` when it forgot it wholly:
    /// strictly in turn for one number, each while a lock of this table is held.
    ///
    /// They must be short and never call back.
    package init(
        known: @escaping @Sendable (FileNumber) -> Void,
        unknown: @escaping @Sendable (FileNumber) -> Void
    ) {
        numbers = InlineArray { _ in Mutex(Numbers()) }
        inodes = InlineArray { _ in Mutex(Inodes()) }
        self.known = known
        self.unknown = unknown
    }

    /// The file behind `node`; `.stale` when the kernel should not know it any more.
    package func number(of node: UInt64) throws(DocFSError) -> FileNumber {
        if node == InodeTable.rootNode { return .root }
        guard let number = inodes[shard(node)].withLock({ $0[node]?.number }) else {
            throw .stale
        }
        return number
    }

    /// Counts one more lookup of `number` and returns its node id.
    package func remember(_ number: FileNumber) -> Remembered {
        if number == .root { return Remembered(node: InodeTable.rootNode, isNew: false) }
        return numbers[shard(number)].withLock { numbers in
            if let node = numbers[number]?.first {
                inodes[shard(node)].withLock { $0[node]!.lookups += 1 }
                return Remembered(node: node, isNew: false)
            }
            let node = lastNode.add(1, ordering: .relaxed).newValue
            numbers[number] = Nodes(first: node)
            inodes[shard(node)].withLock { $0[node] = Inode(number: number, lookups: 1) }
            known(number)
            return Remembered(node: node, isNew: true)
        }
    }

    /// Takes back `count` lookups of `node`.
    package func forget(_ node: UInt64, _ count: UInt64 = 1) {
        if node == InodeTable.rootNode { return }
        // The number may change until its shard is locked: then look again.
        while let number = inodes[shard(node)].withLock({ $0[node]?.number }) {
            if forget(node, count, of: number) { return }
        }
    }

    private func forget(_ node: UInt64, _ count: UInt64, of number: FileNumber) -> Bool {
        numbers[shard(number)].withLock { numbers in
            let left: UInt64? = inodes[shard(node)].withLock { inodes in
                guard let inode = inodes[node], inode.number == number else { return nil }
                let left = inode.lookups - min(count, inode.lookups)
                if left == 0 { inodes[node] = nil } else { inodes[node]!.lookups = left }
                return left
            }
            guard let left else { return false }
            if left == 0 { drop(node, of: number, from: &numbers) }
            return true
        }
    }

    private func drop(_ node: UInt64, of number: FileNumber, from numbers: inout Numbers) {
        guard var nodes = numbers[number] else { return }
        if nodes.first != node {
            nodes.others.removeAll { $0 == node }
            numbers[number] = nodes
        } else if let next = nodes.others.popLast() {
            nodes.first = next
            numbers[number] = nodes
        } else {
            numbers[number] = nil
            unknown(number)
        }
    }

    /// Counts one more handle on a file; returns the backing id that it is passed through to.
    ///
    /// `register` is called with the node's lock held, for the first handle only: see
    /// ``OpenMode/open(register:)``.
    func countOpen(of node: UInt64, register: () -> Int32?) -> Int32? {
        inodes[shard(node)].withLock { $0[node]?.mode.open(register: register) ?? nil }
    }

    /// Counts the end of a handle; returns the backing id that nobody needs any more.
    func countRelease(of node: UInt64) -> Int32? {
        inodes[shard(node)].withLock { $0[node]?.mode.close() ?? nil }
    }

    /// Whether the kernel knows the file and nobody has it open.
    package func isIdle(_ node: UInt64) -> Bool {
        inodes[shard(node)].withLock { $0[node]?.mode.handles == 0 }
    }

    /// Every node id under which the kernel knows `number`.
    package func nodes(of number: FileNumber) -> [UInt64] {
        if number == .root { return [InodeTable.rootNode] }
        return numbers[shard(number)].withLock { numbers in
            numbers[number].map { [$0.first] + $0.others } ?? []
        }
    }

    /// What the kernel knows as `old` means `new` from now on.
    ///
    /// Neither hook is called: who moves a file moves what it keeps for the kernel too, and is
    /// later told that `new` is unknown.
    package func renumber(_ old: FileNumber, to new: FileNumber) {
        if old == new { return }
        let shards = [shard(old), shard(new)].sorted()
        numbers[shards[0]].withLock { lower in
            if shards[0] == shards[1] {
                move(old, from: &lower, to: new)
            } else {
                numbers[shards[1]].withLock { upper in
                    if shard(old) == shards[0] {
                        move(old, from: &lower, to: new, in: &upper)
                    } else {
                        move(old, from: &upper, to: new, in: &lower)
                    }
                }
            }
        }
    }

    private func move(_ old: FileNumber, from numbers: inout Numbers, to new: FileNumber) {
        guard let moved = numbers.removeValue(forKey: old) else { return }
        numbers[new] = join(moved, numbers[new], as: new)
    }

    private func move(
        _ old: FileNumber, from source: inout Numbers, to new: FileNumber,
        in destination: inout Numbers
    ) {
        guard let moved = source.removeValue(forKey: old) else { return }
        destination[new] = join(moved, destination[new], as: new)
    }

    private func join(_ moved: Nodes, _ present: Nodes?, as number: FileNumber) -> Nodes {
        for node in [moved.first] + moved.others {
            inodes[shard(node)].withLock { $0[node]!.number = number }
        }
        guard var present else { return moved }
        // The file that moved in is the one that later lookups mean.
        present.others = [present.first] + present.others + moved.others
        present.first = moved.first
        return present
    }

    /// How many node ids the kernel holds beside the root.
    package var count: Int {
        (0..<inodes.count).reduce(0) { $0 + inodes[$1].withLock { $0.count } }
    }

    private func shard(_ node: UInt64) -> Int { Int(node & 63) }

    /// Local's numbers differ in their low bits, the catalog's rows too.
    private func shard(_ number: FileNumber) -> Int { Int(number.value & 63) }
}
