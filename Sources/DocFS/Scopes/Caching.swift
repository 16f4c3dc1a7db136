/// What the kernel may keep of a file that was just opened.
package enum Caching: Sendable {
    /// The pages that it has are still right (FOPEN_KEEP_CACHE).
    case keep
    /// The file may have changed since: read anew.
    case drop
    /// Every read comes to us as it was asked (FOPEN_DIRECT_IO, and FOPEN_KEEP_CACHE with it so
    /// that a second open never waits behind a page fault): content that is not all here.
    case direct
}
