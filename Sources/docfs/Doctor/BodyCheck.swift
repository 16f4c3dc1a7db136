internal import Glibc

/// The catalog against the contents: `.docfs/check`.
struct BodyCheck {
    /// A document that counts as wholly here and is not.
    private struct Damage {
        var scope = ""
        var path = ""
        var isEncoded = false
        var size: UInt64 = 0
        var here: UInt64 = 0
        var isMissing = false
        var isEdit = false
        /// Set instead of all others: how many were looked at.
        var checked: UInt64?

        init(_ line: ArraySlice<UInt8>) throws {
            var scanner = LineScanner(line)
            try scanner.eachMember { key, value in
                switch (key, value) {
                case ("scope", .text(let text)): scope = text
                case ("path", .text(let text)): path = text
                case ("isEncoded", .truth(let truth)): isEncoded = truth
                case ("size", .number(let number)): size = number
                case ("here", .number(let number)): here = number
                case ("isMissing", .truth(let truth)): isMissing = truth
                case ("isEdit", .truth(let truth)): isEdit = truth
                case ("checked", .number(let number)): checked = number
                default: break
                }
            }
        }

        var words: String {
            isMissing
                ? "its bytes are missing on this computer"
                : "has \(here) bytes on this computer instead of \(size)"
        }
    }

    let mount: Mount
    /// Has what the container has fetched anew.
    let repairs: Bool

    /// What is wrong; nothing when this is not for the caller, or the daemon is too old.
    func findings() throws -> [Finding] {
        let path = mount.control("check")
        let file = Files.with(path) { open($0, O_RDONLY | O_CLOEXEC) }
        if file < 0, [EACCES, EPERM, ENOENT].contains(errno) { return [] }
        if file < 0 { throw Failure(path, errno) }
        defer { close(file) }
        let total = try mount.status().scopes.reduce(0) { $0 + UInt64($1.documents) }
        var progress = Progress("checking", .documents)
        defer { progress.clear() }
        var findings: [Finding] = []
        var checked: UInt64 = 0
        var rest: [UInt8] = []
        try Document.eachPiece(of: file, path) { piece in
            rest += piece
            var begin = 0
            while let end = rest[begin...].firstIndex(of: 0x0A) {
                let damage = try Damage(rest[begin..<end])
                begin = end + 1
                if damage.checked == nil { findings.append(finding(damage)) }
                checked = damage.checked ?? checked
            }
            rest.removeFirst(begin)
            progress.show(checked, of: max(checked, total))
        }
        if findings.isEmpty {
            let sentence = "\(checked) documents that are on this computer have all their bytes"
            findings.append(Finding(.well, sentence))
        }
        return findings
    }

    private func finding(_ damage: Damage) -> Finding {
        let inner = damage.isEncoded ? ByteText.decoded(damage.path) : damage.path
        let name = "\(damage.scope)/\(inner)"
        if damage.isEdit {
            return Finding(
                .wrong, "\(name): no container has its last edit, and it \(damage.words)",
                advice: "docfs doctor --recover DIR copies what is left of it; once it is deleted, "
                    + "docfs restore brings back what the container has of before")
        }
        if !repairs {
            return Finding(
                .wrong, "\(name): \(damage.words)",
                advice: "docfs doctor --repair has it fetched from the container anew")
        }
        do {
            try drop(Document(path: "\(mount.point)/\(damage.scope)/\(inner)"))
            return Finding(
                .note,
                "\(name): \(damage.words); they are fetched from the container when it is "
                    + "opened")
        } catch {
            return Finding(
                .wrong, "\(name): \(damage.words), and may not be dropped: \(error)",
                advice: "close what has it open, and try again")
        }
    }

    /// Makes it a placeholder, pinned as it was.
    private func drop(_ document: Document) throws {
        let pin = try document.pin()
        // What is pinned is not dropped, and what is not says what is said above it.
        try document.set("pin", to: "unpinned")
        do {
            try document.set("download", to: "none")
        } catch {
            try document.set("pin", to: pin)
            throw error
        }
        try document.set("pin", to: pin)
    }
}
