/// This device's identity, kept twice: in a file of its own, which outlives a lost catalog, and in
/// the catalog, which outlives a damaged file.
///
/// Under another one nothing is found that lies in the hidden folder of `Local/`.
struct DeviceIdentity {
    private let state: StateDirectory
    private let local: Descriptor
    private static let file = Array("device".utf8)
    private static let fact = "device"

    /// - Parameter local: the plain directory behind `Local/`.
    init(of state: StateDirectory, _ local: Descriptor) {
        self.state = state
        self.local = local
    }

    /// The identity: the file's, else the catalog's, else that of the only folder in the hidden
    /// one.
    ///
    /// A state directory without contents gets a new one.
    ///
    /// - Parameter catalog: `nil` when it is damaged or missing.
    func find(_ catalog: Catalog?) throws(MountFailure) -> DeviceID {
        if let id = inFile { return id }
        if let catalog, let id = Self.inCatalog(catalog) { return id }
        let found = state.hasContents ? HiddenFolder.devices(in: local) : []
        if found.count > 1 {
            throw MountFailure(
                """
                \(state.path)/device is damaged, and so is its copy in the catalog: restore it \
                (this device's folder in Local's .docfs has its name; two lines of that), or move \
                the folders of other devices away
                """)
        }
        var random = SystemRandomNumberGenerator()
        return found.first ?? DeviceID(using: &random)
    }

    /// Writes what is not there, or not whole.
    func keep(_ id: DeviceID, in catalog: Catalog) throws(DocFSError) {
        if Self.inCatalog(catalog) != id {
            try catalog.write { (write) throws(DocFSError) in
                try write.setFact(Self.fact, id.bytes)
            }
        }
        // One that cannot be written is no reason not to start: the catalog has it.
        if inFile == nil { try? state.replace(Self.file, with: Array("\(id)\n\(id)\n".utf8)) }
    }

    /// In the file it stands twice, so that damage is seen.
    private var inFile: DeviceID? {
        let text = String(decoding: state.contents(of: Self.file) ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[0] == lines[1], lines[2].isEmpty else { return nil }
        return DeviceID(text: lines[0])
    }

    private static func inCatalog(_ catalog: Catalog) -> DeviceID? {
        let bytes = try? catalog.read { (read) throws(DocFSError) in try read.fact(fact) }
        return (bytes ?? nil).flatMap { DeviceID(bytes: $0) }
    }
}
