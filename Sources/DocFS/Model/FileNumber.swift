/// What stat(2) shows as `st_ino`: unique in the whole mount, kept across remounts (S4).
///
/// | range | is |
/// | --- | --- |
/// | 1 | the mount's root |
/// | 2 … 2^48-1 | rows of the catalog: everything in a cloud scope |
/// | 2^48 … 2^63-1 | files of `Local/`: (device index + 1) << 48, plus the inode's low 48 bits |
/// | 2^63 … | `.docfs` |
package struct FileNumber: Hashable, Sendable {
    package let value: UInt64

    package init(_ value: UInt64) { self.value = value }

    package static let root = FileNumber(1)
    /// The first number that is not a catalog row.
    package static let firstLocal: UInt64 = 1 << 48
    /// The first number of the control directory.
    package static let firstControl: UInt64 = 1 << 63

    package var isCatalogRow: Bool { value > 1 && value < FileNumber.firstLocal }
    package var isLocal: Bool {
        value >= FileNumber.firstLocal && value < FileNumber.firstControl
    }
    package var isControl: Bool { value >= FileNumber.firstControl }
}
