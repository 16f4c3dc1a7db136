internal import Synchronization

/// How directories and files are reached.
extension LocalTable {
    /// What is known of the way to a directory.
    enum DirectoryWay: Sendable {
        case reached(LocalDirectory)
        case walk(LocalWalk)
        case none
    }

    /// The way to a directory: its descriptor, or the names from the nearest one above that has
    /// a descriptor.
    func way(toDirectory number: FileNumber) -> DirectoryWay {
        state.withLock { state in
            guard let target = state.files[number], target.isDirectory else { return .none }
            if let descriptor = target.descriptor {
                target.isRecent = true
                return .reached(
                    LocalDirectory(
                        number: number, descriptor: descriptor, device: target.identity.device,
                        isTop: target.isTop))
            }
            return LocalTable.walk(to: target).map { .walk($0) } ?? .none
        }
    }

    private static func walk(to target: LocalFile) -> LocalWalk? {
        var names: [Name] = []
        var file = target
        // Names that other programs changed may lead in a circle (Brent's algorithm finds it).
        var mark = target
        while true {
            guard let place = file.place else { return nil }
            names.append(place.name)
            file = place.parent
            if let start = file.descriptor {
                file.isRecent = true
                return LocalWalk(
                    start: start, namesUpwards: names, identity: target.identity,
                    isTop: target.isTop)
            }
            if file === mark { return nil }
            if names.count & (names.count - 1) == 0 { mark = file }
        }
    }

    /// Keeps a directory's descriptor among the recently used ones.
    func keep(_ descriptor: Descriptor, for number: FileNumber) {
        change { state in
            guard let file = state.files[number], file.identity.device == rootDevice else { return }
            state.keep(descriptor, for: file)
        }
    }

    /// Moves with every begin and end of a change of our own to the file's content.
    func epoch(of number: FileNumber) -> UInt32 {
        state.withLock { $0.files[number]?.epoch ?? 0 }
    }

    /// The way to a file, with what tells whether it changed meanwhile.
    ///
    /// `index` counts the names that were tried before.
    func way(to number: FileNumber, index: Int = 0) -> (way: LocalWay, epoch: UInt32) {
        state.withLock { state in
            guard let file = state.files[number] else { return (.none, 0) }
            if let open = file.open.last?.descriptor {
                return (.descriptor(open, isOpened: true), file.epoch)
            }
            if let descriptor = file.descriptor {
                file.isRecent = true
                return (.descriptor(descriptor, isOpened: false), file.epoch)
            }
            guard let place = file.place(at: index) else { return (.none, file.epoch) }
            return (
                .name(place.name, parent: place.parent.number, identity: file.identity),
                file.epoch
            )
        }
    }

    /// The names that a file was last seen under, with their directories.
    func places(of number: FileNumber) -> [(FileNumber, Name)] {
        state.withLock { state in
            guard let file = state.files[number] else { return [] }
            var places: [(FileNumber, Name)] = []
            while let place = file.place(at: places.count) {
                places.append((place.parent.number, place.name))
            }
            return places
        }
    }

    /// All numbers in memory that are reached through a directory, and its own.
    func numbers(below number: FileNumber) -> [FileNumber] {
        state.withLock { state in
            guard let top = state.files[number] else { return [] }
            var isBelow: [FileNumber: Bool] = [number: true]
            for file in state.files.values { LocalTable.mark(file, below: top, &isBelow) }
            return isBelow.compactMap { $0.value ? $0.key : nil }
        }
    }

    /// Decides for `file`, and for those above it, whether they are below `top`.
    private static func mark(
        _ file: LocalFile, below top: LocalFile, _ isBelow: inout [FileNumber: Bool]
    ) {
        var passed: [FileNumber] = []
        var current: LocalFile? = file
        var answer = false
        while let here = current {
            if let known = isBelow[here.number] {
                answer = known
                break
            }
            passed.append(here.number)
            // Until it is known: a circle of outdated names is below nothing.
            isBelow[here.number] = false
            current = here.place?.parent
        }
        for number in passed { isBelow[number] = answer }
    }
}
