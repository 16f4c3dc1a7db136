/// The file kind and permission bits that other programs keep, in `x-amz-meta-mode`.
extension S3Metadata {
    /// The mode of a symbolic link as s3fs writes it, which shows one by that alone; always this
    /// number, 0120777.
    static let modeOfLinks = "41471"
    private static let kinds: (file: UInt16, link: UInt16, directory: UInt16) =
        (0o100000, 0o120000, 0o040000)

    /// Fills in from it whatever our own headers leave out.
    mutating func takeFileMode() {
        guard let text = others.first(where: { $0.name == Self.modeName })?.value,
            let found = Self.fileMode(text, isOfDirectory: isOfDirectory)
        else { return }
        if mode == nil { mode = found & 0o777 }
        let isLink = found & 0o170000 == Self.kinds.link
        if isLink, item == nil, kind == .file { kind = .symlink }
    }

    /// As in `st_mode` of stat(2): s3fs writes a decimal number, of a directory without the kind,
    /// and rclone an octal one.
    ///
    /// No number is a valid mode of a file or directory in both notations; one is for links, 41471,
    /// and counts as s3fs's.
    private static func fileMode(_ text: String, isOfDirectory: Bool) -> UInt16? {
        let (decimal, octal) = (UInt16(text), UInt16(text, radix: 8))
        if text == modeOfLinks { return decimal }
        if let decimal {
            let kind = decimal & 0o170000
            if kind == kinds.file || kind == kinds.directory { return decimal }
            if isOfDirectory, decimal <= 0o777 { return decimal }
        }
        guard let octal else { return nil }
        if isOfDirectory, octal <= 0o777 { return octal }
        return [kinds.file, kinds.link, kinds.directory].contains(octal & 0o170000) ? octal : nil
    }

    static func isModeOfLink(_ header: Header) -> Bool {
        header.name == modeName
            && fileMode(header.value, isOfDirectory: false).map { $0 & 0o170000 } == kinds.link
    }

    private var isOfDirectory: Bool {
        others.contains {
            $0.name == "content-type" && $0.value.hasPrefix("application/x-directory")
        }
    }
}
