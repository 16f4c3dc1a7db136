import DocFS
import Glibc

/// What a program that keeps a document in its memory knows of it.
struct UserProgram {
    var memory: String?
    /// It waits for what it reads.
    var isReading = false
}

/// The programs of a device that run, by their only thread.
final class RunningPrograms: @unchecked Sendable {
    var numbers: Set<Int32> = []
}

/// Programs that load a document and save it again, later (S14a).
extension Device {
    private func caller(_ program: Int32) -> Caller {
        Caller(user: geteuid(), group: getegid(), thread: program)
    }

    /// More than any document has, in bytes.
    private static let most = 1 << 20

    /// A program reads the whole of a document, however long that takes.
    func load(_ path: String, by program: Int32) throws(DocFSError) {
        if programs[program]?.isReading == true { throw .busy }
        programs[program] = nil
        running.numbers.insert(program)
        guard let row = try row(path), row.isFile else { throw .notFound }
        let (file, _) = try scope.open(
            FileNumber(UInt64(row.ino)), flags: O_RDONLY, caller: caller(program))
        programs[program] = UserProgram(isReading: true)
        let (scope, process) = (scope, process)
        let end: @Sendable (PendingRead.Outcome) -> Void = { [self] outcome in
            // Its reader has seen it fail.
            if process.isDead { return }
            defer { scope.close(file) }
            let text: String
            switch outcome {
            case .bytes(let bytes): text = String(decoding: bytes, as: UTF8.self)
            case .range(let descriptor, let offset, let length):
                var bytes = [UInt8](repeating: 0, count: length)
                let count = pread(descriptor, &bytes, length, off_t(offset))
                text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            case .failed(let error):
                programs[program] = nil
                return world.note("\(name)  program \(program) reads \(path): \(error.sentence)")
            }
            check(path, text)
            programs[program] = UserProgram(memory: text)
        }
        switch try scope.read(file, at: 0, length: Self.most) {
        case .bytes(let bytes): end(.bytes(bytes))
        case .range(let descriptor, let offset, let length):
            end(.range(descriptor: descriptor, offset: offset, length: length))
        case .waiting(let pending): pending.whenEnded(end)
        }
    }

    /// A program saves what it has in memory, with an entry more.
    ///
    /// Whatever the document holds by now is nothing that its user has seen, unless it was saved on
    /// this device: there the last save counts, as on any disk.
    func merge(
        _ path: String, _ entry: String, by program: Int32, inPlace: Bool, isSynced: Bool
    ) throws(DocFSError) {
        guard let known = programs[program], let memory = known.memory else { throw .busy }
        let (parent, name) = try place(path)
        guard let row = try row(path), row.isFile else { throw .notFound }
        let new = memory + entry
        programs[program] = nil
        world.ledger.announce(new)
        if inPlace {
            world.ledger.release(memory)
            try release(row)
            try finish(
                try open(row, O_WRONLY | O_TRUNC, by: caller(program)), new, isSynced: isSynced)
        } else {
            let temporary = Name(".\(name).\(program)")
            do throws(DocFSError) {
                try make(temporary, in: parent, new, isSynced: isSynced, by: caller(program))
            } catch {
                // It is there when the device died between the two.
                try? scope.unlink(temporary, in: parent, caller: caller(program))
                throw error
            }
            world.ledger.release(memory)
            try release(row)
            try scope.rename(
                temporary, in: parent, to: name, in: parent, mode: .replace,
                caller: caller(program))
        }
        acknowledge(new)
        saved.insert(new)
        guard isRunning else { return }
        if program < Script.firstOfMany {
            programs[program] = UserProgram(memory: new)
        } else {
            running.numbers.remove(program)
        }
    }

    /// What is replaced was saved here, and is given up.
    private func release(_ row: LocalItem) throws(DocFSError) {
        if let old = try text(row), saved.contains(old) { world.ledger.release(old) }
    }

    // MARK: Conflict versions

    /// A user turns to the first conflict version of a document.
    func touchSibling(of document: String, _ touch: Script.Touch) throws(DocFSError) {
        let siblings = (try? siblings(of: document)) ?? []
        guard let row = siblings.min(by: { $0.name.description < $1.name.description }) else {
            throw .notFound
        }
        let path = row.name.description
        world.turnedTo.append(row)
        switch touch {
        case .open: try read(path)
        case .append(let text):
            try append(path, text)
            // Nothing may take its place there.
            if let all = self.text(at: path) { world.byHand[row.item, default: []].insert(all) }
        case .describe: try describe(path, mode: 0o600, attribute: "mine")
        case .remove: try remove(path)
        case .rename(let name): try rename(path, name)
        }
    }
}
