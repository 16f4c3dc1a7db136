internal import CFuse
internal import Glibc

/// One request of the kernel.
///
/// Whoever holds it answers it exactly once, by one of the replies.
///
/// libfuse frees the request with the reply; nothing of it may be touched after that.
struct Request: @unchecked Sendable {
    let raw: fuse_req_t

    /// Who asks.
    var caller: Caller {
        let context = fuse_req_ctx(raw)!.pointee
        return Caller(
            user: context.uid, group: context.gid, thread: context.pid, mask: context.umask)
    }

    func fail(_ error: DocFSError) { fuse_reply_err(raw, ErrnoTable.errno(for: error)) }

    func succeed() { fuse_reply_err(raw, 0) }

    /// No answer at all: FORGET has none.
    func end() { fuse_reply_none(raw) }

    func reply(_ bytes: UnsafeRawBufferPointer) -> Bool {
        fuse_reply_buf(raw, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            == 0
    }

    func reply(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { reply($0) } }

    /// Replies from a file, spliced; a failure to read it becomes the answer.
    func reply(from descriptor: Int32, at offset: UInt64, length: Int) {
        _ = docfs_reply_fd(raw, descriptor, off_t(offset), length)
    }

    func reply(written count: Int) { fuse_reply_write(raw, count) }

    func reply(attributes result: LookupResult) {
        guard let attributes = result.attributes else { return fail(.stale) }
        var status = attributes.status
        fuse_reply_attr(raw, &status, result.validity)
    }

    /// An attribute's value or the list of their names: `size` 0 asks for the length alone
    /// (getxattr(2), listxattr(2)).
    func reply(attributeBytes bytes: [UInt8], size: Int) {
        if size == 0 {
            fuse_reply_xattr(raw, bytes.count)
        } else if bytes.count > size {
            fail(.rangeTooSmall)
        } else {
            reply(bytes)
        }
    }
}

/// Runs one handler: finds the session, and answers with the error when the handler throws.
///
/// A handler replies in its last statement, so that it never both replies and throws.
@inline(__always)
func serve(
    _ raw: fuse_req_t?, _ body: (_ session: Session, _ request: Request) throws(DocFSError) -> Void
) {
    let request = Request(raw: raw!)
    Unmanaged<Session>.fromOpaque(fuse_req_userdata(raw)!)._withUnsafeGuaranteedRef { session in
        do throws(DocFSError) {
            try body(session, request)
        } catch {
            request.fail(error)
        }
    }
}

/// The bytes of a name as libfuse hands them over.
///
/// FUSE lets names of 1,024 bytes through.
@inline(__always)
func name(_ text: UnsafePointer<CChar>?) throws(DocFSError) -> Name {
    let length = strlen(text!)
    if length > Name.maximumLength { throw .nameTooLong }
    return text!.withMemoryRebound(to: UInt8.self, capacity: length) {
        Name(UnsafeBufferPointer(start: $0, count: length))
    }
}
