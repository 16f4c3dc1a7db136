/// What became of noting a file under a name.
enum LocalSight: Sendable {
    /// The file's number.
    case number(FileNumber)
    /// Names of ours moved meanwhile: look again.
    case outdated
    /// The kernel still held `number` for a file that is gone, whose inode this file was given.
    ///
    /// What the kernel holds is to be called `other` from now on; then look again.
    case taken(FileNumber, other: FileNumber)
}
