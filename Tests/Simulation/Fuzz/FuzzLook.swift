import Logging

@testable import DocFS

/// Everything that a device shows, as `ls -lR` of the scope and of `.docfs` would ask for it, and
/// what is wrong with it.
struct FuzzLook {
    /// One name of the scope.
    struct Entry {
        let parent: FileNumber
        let name: Name
    }

    private(set) var entries: [Entry] = []
    /// Rows of documents whose bytes are not here.
    private(set) var placeholders: [Int64] = []
    private(set) var finds: [String] = []
    private let device: any LivingDevice

    init(at device: any LivingDevice) throws {
        self.device = device
        try lookAtScope()
        try lookAtControl()
    }

    private mutating func find(_ words: String) {
        if !finds.contains(words) { finds.append(words) }
    }

    // MARK: The scope

    private struct Directory {
        let number: FileNumber
        let depth: Int
    }

    private mutating func lookAtScope() throws {
        let root = device.scope.root
        var rest = [Directory(number: root, depth: 0)]
        var seen: Set<FileNumber> = [root]
        while let directory = rest.popLast() {
            var names: Set<Name> = []
            for (name, number, isDirectory) in try list(directory.number) {
                check(name, isTwice: !names.insert(name).inserted, in: directory)
                entries.append(Entry(parent: directory.number, name: name))
                guard isDirectory else {
                    try lookAtDocument(number)
                    continue
                }
                guard seen.insert(number).inserted else {
                    find("a directory is shown twice")
                    continue
                }
                rest.append(Directory(number: number, depth: directory.depth + 1))
            }
        }
        try lookAtIdentities()
    }

    private func list(_ directory: FileNumber) throws -> [(Name, FileNumber, Bool)] {
        let scope = device.scope
        let listing = try scope.openDirectory(directory)
        var found: [(Name, FileNumber, Bool)] = []
        try scope.list(listing, from: 0, withAttributes: true) { entry in
            found.append(
                (entry.name, entry.number, entry.type == LocalItem.typeDirectory))
            return true
        }
        return found
    }

    private mutating func check(_ name: Name, isTwice: Bool, in directory: Directory) {
        if isTwice { find("two entries have one name") }
        if !name.isValid { find("an entry's name is none") }
        if directory.depth == 0, name == ".docfs" { find("the root shows .docfs") }
        if directory.depth >= ItemPath.maximumDepth { find("a path of too many names") }
    }

    private mutating func lookAtDocument(_ number: FileNumber) throws {
        let scope = device.scope
        let row = try device.catalog.read { (read) throws(DocFSError) in
            try read.local(Int64(number.value))
        }
        guard let row else { return find("an entry has no row") }
        _ = try scope.attributes(of: number)
        // Each reads all of them.
        for name in try scope.extendedAttributeNames(of: number).prefix(20) {
            _ = try scope.extendedAttribute(name, of: number, caller: Daemon.caller)
        }
        if row.isSymlink { _ = try scope.readLink(number) }
        if row.isFile, row.state != .current { placeholders.append(row.ino) }
    }

    /// The root is no item, neither in what is shown nor in what the log came to.
    private mutating func lookAtIdentities() throws {
        let scope = device.record
        let (shown, recorded) = try device.catalog.read { (read) throws(DocFSError) in
            (
                try read.local(item: .root, scope: scope.id),
                try read.state(.remote, of: .root, scope: scope.id)
            )
        }
        if let shown, shown.ino != scope.root { find("the root is an item") }
        if recorded != nil { find("the root is recorded as an item") }
    }

    // MARK: .docfs

    private mutating func lookAtControl() throws {
        guard let keeper = device.keeper else { return }
        let control = try ControlDirectory(
            settings: ControlSettings(
                mountPoint: "/mnt", state: "/state", device: "fuzzed", scopes: [device.record.id],
                stores: ["memory"],
                owner: Daemon.caller.user, group: Daemon.caller.group, born: .zero,
                deadline: .seconds(1), types: []),
            catalog: device.catalog,
            documents: DocumentCare(
                contents: device.contents, engines: [device.engine], keeper: keeper,
                end: Farewell(
                    device.contents, [], time: .zero,
                    log: Logger(label: "device") { _ in SwiftLogNoOpLogHandler() })),
            bodies: EarlierBodies(contents: device.contents, engines: [device.engine]),
            invalidator: NoKernel(),
            wallTime: { .zero }, groups: { _ in [] })
        guard let top = try control.lookup(".docfs", in: .root).attributes else {
            return find("there is no .docfs")
        }
        var rest = [top.number]
        while let directory = rest.popLast() {
            control.retain(directory)
            var files: [FileNumber] = []
            let listing = try control.openDirectory(directory)
            var names: Set<Name> = []
            var twice = false
            try control.list(listing, from: 0, withAttributes: true) { entry in
                twice = twice || !names.insert(entry.name).inserted
                if entry.type == LocalItem.typeDirectory { rest.append(entry.number) }
                if entry.type == LocalItem.typeFile { files.append(entry.number) }
                return true
            }
            if twice { find("two entries of .docfs have one name") }
            for file in files { try read(file, control) }
        }
        for ino in placeholders { read(attributesOf: ino, control) }
    }

    /// Reads a report or a list to its end; of bodies nothing.
    private mutating func read(_ number: FileNumber, _ control: ControlDirectory) throws {
        control.retain(number)
        let (file, _) = try control.open(number, forWriting: false, caller: Daemon.caller)
        defer { control.close(file) }
        if file is BodyFile || file is EventReader { return }
        var offset: UInt64 = 0
        while case .bytes(let bytes) = try control.read(
            file, at: offset, length: 1 << 17, isNonBlocking: true), !bytes.isEmpty
        {
            offset += UInt64(bytes.count)
            if Self.hasControls(bytes) { find("a report of .docfs has control characters") }
        }
    }

    /// Whether a terminal would do something else than show this: C0 but for tab and newline, DEL,
    /// or C1 in UTF-8 (ISO/IEC 6429).
    private static func hasControls(_ bytes: [UInt8]) -> Bool {
        var last: UInt8 = 0
        for byte in bytes {
            if byte < 0x20, byte != 0x09, byte != 0x0A { return true }
            if byte == 0x7F || last == 0xC2 && byte < 0xA0 { return true }
            last = byte
        }
        return false
    }

    private func read(attributesOf ino: Int64, _ control: ControlDirectory) {
        for name in ["state", "error", "conflicts", "item", "path"] {
            // Not every document has each.
            _ = try? control.documentAttribute(
                "user.docfs.\(name)", of: FileNumber(UInt64(ino)))
        }
    }
}
