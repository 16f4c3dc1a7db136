/// The name of a mount point's own state directory.
package enum MountPointName {
    /// `path` as `systemd-escape --path` writes it (systemd.unit(5)): slashes become `-`, and
    /// everything but ASCII letters, digits, `:`, `_` and `.` becomes `\xNN`, a leading `.` too.
    package static func escaped(_ path: String) -> String {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).filter { Array($0) != [0x2E] }
        if parts.isEmpty { return "-" }
        var result: [UInt8] = []
        for byte in parts.joined(separator: [UInt8(ascii: "/")]) {
            switch byte {
            case UInt8(ascii: "/"): result.append(UInt8(ascii: "-"))
            case UInt8(ascii: ".") where result.isEmpty: result += escape(byte)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                result.append(byte)
            default: result += escape(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        Array("\\x".utf8) + [hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
    }
}
