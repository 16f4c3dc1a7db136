/// What renameat2(2) does when the new name is taken.
package enum RenameMode: Sendable {
    case replace
    /// RENAME_NOREPLACE: fail with `.exists`.
    case noReplace
    /// RENAME_EXCHANGE: both names must be there and change places atomically.
    case exchange
}
