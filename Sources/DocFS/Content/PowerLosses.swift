/// How often this device has lost its power, and whether it just did: the catalog notes under which
/// start of the system it is in use, until it is left in order.
struct PowerLosses {
    /// How often, as far as this catalog knows.
    let count: Int64
    /// After how many of them all content files were looked through.
    let swept: Int64
    /// The power went under the process that had the catalog last.
    let isNew: Bool
    private let boot: [UInt8]?

    private static let boot = "boot"
    private static let count = "powerLosses"
    private static let swept = "sweptPowerLosses"

    /// - Parameter boot: which start of the system this is; `nil` where nobody can tell.
    init(_ catalog: Catalog, boot: [UInt8]?) throws(DocFSError) {
        self.boot = boot
        let (earlier, count, swept) = try catalog.read { (read) throws(DocFSError) in
            (
                try read.fact(Self.boot), try Self.number(Self.count, read),
                try Self.number(Self.swept, read)
            )
        }
        isNew = earlier != nil && boot != nil && earlier != boot
        self.count = isNew ? count + 1 : count
        self.swept = swept
    }

    private static func number(_ fact: String, _ read: CatalogReader) throws(DocFSError) -> Int64 {
        try read.fact(fact).flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    /// What the last loss of power left is dealt with; the next one will be noticed.
    func note(in catalog: Catalog) throws(DocFSError) {
        guard let boot else { return }
        try catalog.write { (write) throws(DocFSError) in
            try write.setFact(Self.boot, boot)
            try write.setFact(Self.count, Array("\(count)".utf8))
        }
        // Before the first write of this start can reach the disk.
        try catalog.makeDurable()
    }

    func noteSwept(in catalog: Catalog) throws(DocFSError) {
        try catalog.write { (write) throws(DocFSError) in
            try write.setFact(Self.swept, Array("\(count)".utf8))
        }
    }

    /// All bytes are on the disk, and none will be written: the power may go.
    func forgetBoot(in catalog: Catalog) throws(DocFSError) {
        try catalog.write { (write) throws(DocFSError) in try write.removeFact(Self.boot) }
    }
}
