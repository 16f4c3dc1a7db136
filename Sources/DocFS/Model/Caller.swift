/// The process behind a request.
package struct Caller: Sendable {
    package let user: UInt32
    package let group: UInt32
    /// The **thread** id, as FUSE gives it; 0 when the kernel acts by itself.
    package let thread: Int32
    /// File mode creation mask, already applied by nobody: FUSE_DONT_MASK is not asked for, so the
    /// kernel has applied it.
    ///
    /// Kept for requests that create below a default ACL.
    package let mask: UInt32

    package init(user: UInt32, group: UInt32, thread: Int32, mask: UInt32 = 0) {
        self.user = user
        self.group = group
        self.thread = thread
        self.mask = mask
    }
}
