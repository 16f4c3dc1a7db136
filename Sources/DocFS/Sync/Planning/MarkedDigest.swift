/// Whether the digest in an object's metadata belongs to the body beside it.
///
/// Programs may change an object and leave its metadata alone: s3fs does, and so do tools that
/// compress images in place.
package enum MarkedDigest {
    /// Whether the metadata was written with an earlier body.
    ///
    /// An operation that no record has told of belongs to a device that has yet to record it: its
    /// digest counts.
    ///
    /// - Parameters:
    ///   - revision: the object's.
    ///   - recorded: the revision that a record has for the operation in the metadata; `nil` where
    ///     no record is known.
    ///   - known: the body that the log has for the item in the metadata.
    package static func isCarriedOver(
        _ digest: Digest, at revision: Revision, recorded: Revision?, known: Body?
    ) -> Bool {
        if let recorded { return recorded != revision }
        guard let known, known.digest == digest else { return false }
        return known.revision != revision
    }
}
