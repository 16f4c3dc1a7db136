/// Reaching directories and files by number.
extension LocalScope {
    // MARK: Directories

    /// A directory, or `.stale` where none is found that is still the same.
    func directory(_ number: FileNumber) throws(DocFSError) -> LocalDirectory {
        if case .reached(let directory) = table.way(toDirectory: number) { return directory }
        return try settled { () throws(DocFSError) in try walk(to: number) }
    }

    private func walk(to number: FileNumber) throws(DocFSError) -> LocalDirectory? {
        let walk: LocalWalk
        switch table.way(toDirectory: number) {
        case .reached(let directory): return directory
        case .none: return nil
        case .walk(let way): walk = way
        }
        guard let descriptor = try open(walk) else { return nil }
        let directory = LocalDirectory(
            number: number, descriptor: descriptor, device: walk.identity.device,
            isTop: walk.isTop)
        table.keep(descriptor, for: number)
        return directory
    }

    /// `nil` when the way leads nowhere, or to another directory.
    private func open(_ walk: LocalWalk) throws(DocFSError) -> Descriptor? {
        var descriptor = walk.start
        for piece in walk.pieces {
            guard let next = try Posix.reachDirectoryBeneath(descriptor.number, piece) else {
                return nil
            }
            descriptor = next
        }
        let status = try Posix.status(of: descriptor.number)
        return LocalIdentity(status) == walk.identity ? descriptor : nil
    }

    // MARK: Files

    /// What stat(2) tells of a file, and the epoch at which it was asked.
    func status(of number: FileNumber, through file: OpenFile? = nil)
        throws(DocFSError) -> (FileStatus, UInt32)
    {
        if let descriptor = file?.descriptor {
            let epoch = table.epoch(of: number)
            return (try Posix.status(of: descriptor.number), epoch)
        }
        return try reaching(
            number,
            { (descriptor, _, epoch) throws(DocFSError) in
                (try Posix.status(of: descriptor.number), epoch)
            },
            { (directory, name, identity, epoch) throws(DocFSError) in
                let status = try Posix.status(at: directory, name.bytes)
                return LocalIdentity(status) == identity ? (status, epoch) : nil
            })
    }

    /// A descriptor of the very file; O_PATH unless `isOpened`.
    func reached(_ number: FileNumber) throws(DocFSError) -> (
        descriptor: Descriptor, isOpened: Bool
    ) {
        try reaching(
            number,
            { (descriptor, isOpened, _) throws(DocFSError) in (descriptor, isOpened) },
            { (directory, name, identity, _) throws(DocFSError) in
                let descriptor = try Posix.reach(at: directory, name.bytes)
                let status = try Posix.status(of: descriptor.number)
                return LocalIdentity(status) == identity ? (descriptor, false) : nil
            })
    }

    /// Does `byDescriptor` where a descriptor reaches the file, else `byName` with one name after
    /// the other until it does not answer `nil`, which says that the name is another file now.
    func reaching<Value>(
        _ number: FileNumber,
        _ byDescriptor: (Descriptor, _ isOpened: Bool, _ epoch: UInt32) throws(DocFSError)
            -> Value,
        _ byName: (_ directory: Int32, Name, LocalIdentity, _ epoch: UInt32) throws(DocFSError)
            -> Value?
    ) throws(DocFSError) -> Value {
        try settled { () throws(DocFSError) -> Value? in
            var index = 0
            while true {
                let (way, epoch) = table.way(to: number, index: index)
                switch way {
                case .descriptor(let descriptor, let isOpened):
                    return try byDescriptor(descriptor, isOpened, epoch)
                case .name(let name, let parent, let identity):
                    let found = try unlessGone { () throws(DocFSError) -> Value? in
                        guard let directory = try parentDirectory(parent) else { return nil }
                        return try byName(directory.descriptor.number, name, identity, epoch)
                    }
                    if let value = found { return value }
                    index += 1
                case .none:
                    // A directory may be reached only by its names: it has no open files.
                    return nil
                }
            }
        }
    }

    private func parentDirectory(_ number: FileNumber) throws(DocFSError) -> LocalDirectory? {
        if case .reached(let directory) = table.way(toDirectory: number) { return directory }
        return try walk(to: number)
    }

    // MARK: Helpers

    /// Makes an attempt and, when it finds nothing, another one while no name of ours is moving;
    /// `.stale` when that finds nothing either.
    private func settled<Value>(_ attempt: () throws(DocFSError) -> Value?) throws(DocFSError)
        -> Value
    {
        if let value = try attempt() { return value }
        guard let value = try whileMoving(attempt) else { throw .stale }
        return value
    }

    /// `nil` for the errors that say that a remembered name leads nowhere now.
    private func unlessGone<Value>(_ body: () throws(DocFSError) -> Value?) throws(DocFSError)
        -> Value?
    {
        do throws(DocFSError) {
            return try body()
        } catch {
            switch error {
            case .notFound, .notDirectory, .loop: return nil
            default: throw error
            }
        }
    }
}
