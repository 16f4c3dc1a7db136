/// This device's identity, kept twice: in a file of its own, which outlives a lost catalog, and in
/// the catalog, which outlives a damaged file.
///
/// Under another one nothing is found that lies in the hidden folder of `Local/`.
struct DeviceIdentity {
    private let state: StateDirectory
    private let local: Descriptor
    static let file = Array("device".utf8)
    /// The identity that it is about to take, until all that has its name has the new one.
    private static let nextFile = Array("device-next".utf8)
    private static let fact = "device"

    /// - Parameter local: the plain directory behind `Local/`.
    init(of state: StateDirectory, _ local: Descriptor) {
        self.state = state
        self.local = local
    }

    /// The identity; a copy of another device's state takes a new one (S34).
    ///
    /// - Parameters:
    ///   - catalog: `nil` when it is damaged or missing.
    ///   - whenCopied: called once for each new identity that a copy takes.
    func find(_ catalog: Catalog?, whenCopied: () -> Void) throws(MountFailure) -> DeviceID {
        let known = try findKnown(catalog)
        // A start that was cut short may have given its own name to what is in Local.
        let names = [known, nextID].compactMap(\.self)
        do throws(DocFSError) {
            if state.isCopy {
                var random = SystemRandomNumberGenerator()
                try Self.note(DeviceID(using: &random), in: state)
                whenCopied()
            }
            guard let next = nextID else { return known }
            // What the original has there is its own.
            let hasOriginal = try state.hasOriginal
            for name in hasOriginal ? [] : names where name != next {
                try HiddenFolder.rename(name, to: next, in: local)
            }
            return next
        } catch {
            throw MountFailure("\(state.path): it is to be a new device: \(error.sentence)")
        }
    }

    /// Notes a new identity: at the next start all that has the old one's name takes it.
    static func note(_ next: DeviceID, in state: StateDirectory) throws(DocFSError) {
        try state.replace(nextFile, with: text(of: next))
        // Before anything is called by it.
        try Posix.syncFileSystem(state.directory.number)
    }

    /// The identity so far: the file's, else the catalog's, else that of the only folder in the
    /// hidden one.
    ///
    /// A state directory without contents gets a new one.
    private func findKnown(_ catalog: Catalog?) throws(MountFailure) -> DeviceID {
        if let id = inFile { return id }
        var found: [DeviceID] = []
        var isUnread = false
        do throws(DocFSError) {
            do throws(DocFSError) {
                if let catalog, let id = try Self.inCatalog(catalog) { return id }
            } catch .corrupt {
                // Its folder in Local tells as well.
            }
            if try state.hasContents { found = try HiddenFolder.devices(in: local) }
            let file = try Posix.statusIfPresent(at: state.directory.number, Self.file)
            isUnread = file != nil && state.contents(of: Self.file) == nil
        } catch {
            throw MountFailure(
                "\(state.path): it cannot be told which device this is: \(error.sentence)")
        }
        if found.count > 1 {
            throw MountFailure(
                """
                \(state.path)/device is damaged, and so is its copy in the catalog: restore it \
                (this device's folder in Local's .docfs has its name; two lines of that), or move \
                the folders of other devices away
                """)
        }
        if let only = found.first { return only }
        // Under a new identity it would be written over.
        if isUnread {
            throw MountFailure(
                "\(state.path)/device cannot be read: give it back its mode, or move it away")
        }
        var random = SystemRandomNumberGenerator()
        return DeviceID(using: &random)
    }

    /// Writes what is not there, or not whole, or not of this place.
    func keep(_ id: DeviceID, in catalog: Catalog) throws(DocFSError) {
        if try Self.inCatalog(catalog) != id {
            try catalog.write { (write) throws(DocFSError) in
                try write.setFact(Self.fact, id.bytes)
            }
        }
        if nextID == id {
            try state.replace(Self.file, with: Self.text(of: id))
            try state.keepPlace()
            try Posix.syncFileSystem(state.directory.number)
            return try Posix.unlink(at: state.directory.number, Self.nextFile)
        }
        // What cannot be written is no reason not to start: the catalog has it.
        if inFile == nil { try? state.replace(Self.file, with: Self.text(of: id)) }
        // Nor is this: the next start tries again, and till then a copy is known by its records.
        try? state.keepPlace()
    }

    private var inFile: DeviceID? { id(in: Self.file) }

    private var nextID: DeviceID? { id(in: Self.nextFile) }

    /// In a file it stands twice, so that damage is seen.
    private func id(in file: [UInt8]) -> DeviceID? {
        let text = String(decoding: state.contents(of: file) ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[0] == lines[1], lines[2].isEmpty else { return nil }
        return DeviceID(text: lines[0])
    }

    private static func text(of id: DeviceID) -> [UInt8] { Array("\(id)\n\(id)\n".utf8) }

    private static func inCatalog(_ catalog: Catalog) throws(DocFSError) -> DeviceID? {
        let bytes = try catalog.read { (read) throws(DocFSError) in try read.fact(fact) }
        return bytes.flatMap { DeviceID(bytes: $0) }
    }
}
