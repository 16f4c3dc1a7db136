import Glibc
import Testing

@testable import DocFS

@Suite struct ErrnoTableTests {
    // S32
    @Test(arguments: [
        (DocFSError.offline("no route"), ENETUNREACH), (.deadline, ETIMEDOUT),
        (.noContainer("gone"), ENETUNREACH),
        (.credentialsRefused("403"), EACCES), (.documentRefused("403"), EACCES),
        (.corrupt("digest"), EIO), (.storeFull, EDQUOT),
        (.diskFull, ENOSPC), (.busy, EBUSY), (.notOffered, EOPNOTSUPP), (.notFound, ENOENT),
    ])
    func theTableIsTheOneOfTheSemantics(error: DocFSError, code: Int32) {
        #expect(ErrnoTable.errno(for: error) == code)
    }

    // S8
    @Test func aRevisionThatIsGoneEverywhereIsStale() {
        #expect(ErrnoTable.errno(for: .revisionGone) == ESTALE)
    }

    @Test(arguments: [
        ENOENT, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, EPERM, EACCES, EINVAL, ENAMETOOLONG, ENODATA,
        EBADF, EROFS, EMLINK, ELOOP, EBUSY, EOPNOTSUPP, ESTALE, EINTR, EFBIG, EAGAIN, ERANGE,
        E2BIG, ENXIO, ENOSPC, EXDEV, EIO, EUCLEAN,
    ])
    func whatTheSystemSaysComesOutAsItWentIn(code: Int32) {
        #expect(ErrnoTable.errno(for: Posix.error(for: code)) == code)
    }

    // ENOENT is only for what does not exist (S32): "gone" in other ways has other numbers.
    @Test(arguments: [
        DocFSError.stale, .revisionGone, .offline(""), .refused, .bodyChanged, .outcomeUnknown(""),
        .noDevice, .noSuchAttribute, .tooLargeForStore,
    ])
    func nothingElseIsNotFound(error: DocFSError) {
        #expect(ErrnoTable.errno(for: error) != ENOENT)
        #expect(ErrnoTable.errno(for: error) > 0)
    }
}
