internal import CFuse
internal import Glibc

extension Posix {
    /// Which computer this is, as only one application knows it, in 32 hexadecimal digits; `nil`
    /// where nobody can tell.
    ///
    /// The machine's own identity is a secret of its owner (machine-id(5)): this is made of it as
    /// sd_id128_get_machine_app_specific(3) says, but for the bits of a UUID.
    package static func machine(for application: [UInt8]) -> String? {
        // Containers often have none, or an empty one.
        guard let bytes = try? contents(ofPath: "/etc/machine-id"),
            let id = Identifier<Machine>(text: String(decoding: bytes.prefix(32), as: UTF8.self))
        else { return nil }
        let code = SHA256.authenticationCode(of: application, key: id.bytes)
        return Identifier<Machine>(bytes: code.prefix(16))?.description
    }

    private enum Machine {}

    /// When the file or directory was made: a copy has another time, and nobody can set it.
    ///
    /// `nil` where the filesystem does not tell (statx(2), stx_btime).
    package static func birth(of descriptor: Int32) -> Timestamp? {
        var seconds: Int64 = 0
        var nanoseconds: UInt32 = 0
        guard docfs_birth(descriptor, &seconds, &nanoseconds) == 0 else { return nil }
        return Timestamp(checked: seconds, nanoseconds: Int64(nanoseconds))
    }
}
