/// What statvfs(3) shows.
package struct FileSystemStatistics: Sendable {
    /// Bytes in one unit of the counts below.
    package var blockSize: UInt64
    package var blocks: UInt64
    package var freeBlocks: UInt64
    package var availableBlocks: UInt64
    package var files: UInt64
    package var freeFiles: UInt64
    /// Bytes.
    package var maximumNameLength: UInt32

    package init(
        blockSize: UInt64, blocks: UInt64, freeBlocks: UInt64, availableBlocks: UInt64,
        files: UInt64, freeFiles: UInt64, maximumNameLength: UInt32 = 255
    ) {
        self.blockSize = blockSize
        self.blocks = blocks
        self.freeBlocks = freeBlocks
        self.availableBlocks = availableBlocks
        self.files = files
        self.freeFiles = freeFiles
        self.maximumNameLength = maximumNameLength
    }
}
