internal import CControl
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Standard output and standard error.
enum Output {
    private static let buffer = Mutex<[UInt8]>([])

    static let isTerminal = isatty(STDOUT_FILENO) == 1
    /// Whether progress may be drawn.
    static let showsProgress = isatty(STDERR_FILENO) == 1
    /// Colours are for terminals only (and see no-color.org).
    static let isColoured =
        isTerminal && getenv("NO_COLOR") == nil && Environment["TERM"] != "dumb"

    enum Environment {
        static subscript(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }
        }
    }

    enum Colour: Int {
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
        case bold = 1
        case dim = 2
    }

    static func coloured(_ text: Shown, _ colour: Colour?) -> Shown {
        guard isColoured, let colour, !text.isEmpty else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    static func line(_ text: Shown) { write(text + "\n") }

    static func write(_ text: Shown) { data(text.text) }

    /// For programs: names in it go out as the bytes that they are.
    static func data(_ text: String) {
        let isFull = buffer.withLock { buffer in
            buffer += ByteText.bytes(text)
            return buffer.count > 1 << 16
        }
        if isTerminal || isFull { flush() }
    }

    /// What was written is out.
    static func flush() {
        let bytes = buffer.withLock { buffer in
            defer { buffer.removeAll() }
            return buffer
        }
        put(bytes, to: STDOUT_FILENO)
    }

    private static func put(_ bytes: [UInt8], to file: Int32) {
        do {
            try bytes.withUnsafeBytes { try Document.write($0, to: file, "output") }
        } catch {
            // Of standard error there is nobody to tell.
            guard file == STDOUT_FILENO, !cut.exchange(true, ordering: .relaxed) else { return }
            complain("\(error)")
        }
    }

    private static let cut = Atomic(false)

    /// Whether some of what was to be read could not be written: on a full disk, for example.
    static var isCut: Bool { cut.load(ordering: .relaxed) }

    /// One JSON value and a line feed.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        json(line: String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// A line that is JSON already.
    static func json(line: String) { data(ByteText.escaped(json: line) + "\n") }

    /// To standard error, with the program's name before it.
    static func complain(_ sentence: String) { say("docfs: \(sentence)") }

    static func say(_ text: Shown) {
        sayPart(text + "\n")
    }

    /// The same without a line feed.
    static func sayPart(_ text: Shown) {
        flush()
        put(ByteText.bytes(text.text), to: STDERR_FILENO)
    }

    // MARK: Width

    /// Columns of the terminal, 80 where that is unknown.
    static var columns: Int {
        var size = winsize()
        let isKnown =
            ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
            || ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Columns that a text takes.
    static func width(_ text: Shown) -> Int {
        text.text.unicodeScalars.reduce(0) { $0 + max(0, Int(control_width($1.value))) }
    }

    static func padded(_ text: Shown, to width: Int) -> Shown {
        text + Shown(own: String(repeating: " ", count: max(0, width - self.width(text))))
    }
}
