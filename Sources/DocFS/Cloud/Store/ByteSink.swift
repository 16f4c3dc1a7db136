/// Where the bytes of a read go.
package protocol ByteSink: Sendable {
    /// Takes `bytes` as those from `offset` on. May be called from several threads for ranges that
    /// do not overlap.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError)

    /// A file that stands behind the sink at the same offsets, when there is one: a store on this
    /// machine may then copy file to file (copy_file_range(2), which shares extents where it can)
    /// and report with ``advanced(through:)``.
    var descriptor: Int32? { get }

    /// Bytes of `range` were put into ``descriptor`` directly.
    func advanced(through range: Range<UInt64>) throws(DocFSError)
}
