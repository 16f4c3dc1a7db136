/// One cloud scope as the catalog knows it.
package struct ScopeRecord: Hashable, Sendable {
    package var id: Int64
    package var name: String
    /// The container that its anchor and trees belong to, once attached.
    package var container: ContainerID?
    /// Number of the last change record applied.
    package var anchor: UInt64
    /// The digest of that record; `nil` while none is applied.
    package var digest: Digest?
    /// The root directory's row.
    package var root: Int64

    init(row: Statement) {
        id = row.int()
        name = row.text() ?? ""
        container = row.identifier(ContainerID.self)
        anchor = UInt64(clamping: row.int())
        root = row.int()
        digest = row.optionalBytes().flatMap { Digest(bytes: $0) }
    }
}
