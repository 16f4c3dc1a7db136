internal import CFuse

/// What fallocate(2) and lseek(2) are asked for.
extension Posix {
    /// FALLOC_FL_KEEP_SIZE.
    package static let keepSize = docfs_falloc_keep_size
    /// FALLOC_FL_PUNCH_HOLE.
    package static let punchHole = docfs_falloc_punch_hole
    /// FALLOC_FL_ZERO_RANGE.
    package static let zeroRange = docfs_falloc_zero_range
    /// SEEK_DATA.
    package static let seekData = docfs_seek_data
    /// SEEK_HOLE.
    package static let seekHole = docfs_seek_hole
}
