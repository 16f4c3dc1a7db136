/// Numbers of a scope, for `status`.
package struct ScopeCounts: Hashable, Sendable {
    package var pending = 0
    package var journal = 0
    package var conflicts = 0
    package var excluded = 0
    package var documents = 0
    package var failures = 0
    /// Earlier versions that the user has removed, and that the store may still have.
    package var leavingVersions = 0

    init() {}

    init(row: Statement) {
        pending = Int(row.int())
        journal = Int(row.int())
        conflicts = Int(row.int())
        excluded = Int(row.int())
        documents = Int(row.int())
        failures = Int(row.int())
        leavingVersions = Int(row.int())
    }
}
