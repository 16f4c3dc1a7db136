internal import Glibc

/// What the mount knows of everything below a directory of a container, told by `.docfs/items`
/// without a look at the documents.
struct CatalogListing {
    /// Hands over what lies below `place`, in the order of names, directories before what is in
    /// them: at least what bears one of `names`, all of it when there are none.
    ///
    /// - Returns: `false` when this is not for the caller, who has to look for himself: only whom
    ///   the mount belongs to may ask past the permissions of directories.
    static func each(
        below place: Place, names: [String], _ visit: (Walk.Item, DocumentReport) throws -> Void
    ) throws -> Bool {
        guard place.scope != nil, place.scope != "Local" else { return false }
        let number = try Files.status(of: place.path).st_ino
        let pattern = names.count == 1 ? widened(names[0]) : "*"
        let path = place.mount.control("items/\(number)/\(pattern)")
        let file = Files.with(path) { open($0, O_RDONLY | O_CLOEXEC) }
        if file < 0, [EACCES, EPERM, ENOENT].contains(errno) { return false }
        if file < 0 { throw Failure(path, errno) }
        defer { close(file) }
        let slash = place.name.isEmpty || place.name.hasSuffix("/") ? "" : "/"
        var rest: [UInt8] = []
        try Document.eachPiece(of: file, path) { piece in
            rest += piece
            var begin = 0
            while let end = rest[begin...].firstIndex(of: 0x0A) {
                var report = DocumentReport()
                let inner = try report.read(rest[begin..<end])
                report.path = ByteText.encoded(place.name + slash + inner)
                report.scope = place.scope
                try visit(
                    Walk.Item(
                        path: place.path + "/" + inner, name: place.name + slash + inner,
                        isDirectory: report.type == "directory"), report)
                begin = end + 1
            }
            rest.removeFirst(begin)
        }
        return true
    }

    /// What the mount knows of one item, also of a link or special file, of which the kernel lets
    /// nobody ask for attributes (xattr(7)).
    ///
    /// - Returns: `nil` when this is not for the caller.
    static func report(of place: Place) throws -> DocumentReport? {
        let slash = place.path.lastIndex(of: "/") ?? place.path.startIndex
        let directory = String(place.path[..<slash])
        var found: DocumentReport?
        let isTold = try each(
            below: Place(mount: place.mount, name: directory, path: directory),
            names: [place.last]
        ) { item, report in
            if item.path == place.path { found = report }
        }
        if !isTold { return nil }
        guard let found else { throw Failure(place.path, ENOENT) }
        return found
    }

    /// What the mount can look for by itself: only `*`, and of bytes, not of characters.
    ///
    /// It names everything that `pattern` names, and perhaps more.
    static func widened(_ pattern: String) -> String {
        var wide = ""
        for scalar in pattern.unicodeScalars {
            if scalar == "[" || scalar == "\\" {
                wide += "*"
                break
            }
            wide.unicodeScalars.append(scalar == "?" ? "*" : scalar)
        }
        let isName = !["", ".", ".."].contains(wide) && !wide.contains("/")
        return isName && ByteText.bytes(wide).count <= 255 ? wide : "*"
    }
}

extension DocumentReport {
    fileprivate init() {
        (path, type, size, modified) = ("", "", 0, "")
    }

    /// Takes over what a line says.
    ///
    /// - Returns: the path that it is about, below the directory that was asked about.
    fileprivate mutating func read(_ line: ArraySlice<UInt8>) throws -> String {
        var scanner = LineScanner(line)
        var (inner, isEncoded) = ("", false)
        try scanner.eachMember { key, value in
            switch (key, value) {
            case ("path", .text(let text)): inner = text
            case ("isEncoded", .truth(let truth)): isEncoded = truth
            case ("type", .text(let text)): type = text
            case ("size", .number(let number)): size = number
            case ("modified", .text(let text)): modified = text
            case ("id", .text(let text)): id = text
            case ("download", .text(let text)): download = text
            case ("downloadPercent", .number(let number)): downloadPercent = Int(number)
            case ("isDownloading", .truth(let truth)): isDownloading = truth
            case ("upload", .text(let text)): upload = text
            case ("state", .list(let words)): state = words
            case ("conflicts", .number(let number)): conflicts = Int(number)
            case ("documentType", .text(let text)): documentType = text
            case ("pin", .text(let text)): pin = text
            case ("error", .text(let text)): error = text
            default: break
            }
        }
        return isEncoded ? ByteText.decoded(inner) : inner
    }
}
