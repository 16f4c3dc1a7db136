/// Every failure that DocFS knows, in the terms of documents.
///
/// The FUSE room's table is the only place that turns one into an errno; the sentence shown in
/// `user.docfs.error` and the log is ``sentence``.
package enum DocFSError: Error, Hashable, Sendable {
    // What a caller asked for
    case notFound
    case exists
    case notDirectory
    case isDirectory
    case notEmpty
    case notPermitted
    case accessDenied
    case invalidArgument
    case nameTooLong
    case noSuchAttribute
    case attributeTooLarge
    case rangeTooSmall
    case badHandle
    case readOnly
    case tooManyLinks
    case loop
    case busy
    case notOffered
    /// The number that the kernel holds no longer names what it named: look the name up again.
    case stale
    case interrupted
    case noMoreData
    case tooLarge
    case wouldBlock
    case noDevice
    /// The two names are on different filesystems, or in different containers.
    case otherFilesystem
    /// A system call failed on this device in a way that has no name here.
    case system(errno: Int32)

    // Stores and contents
    /// The store cannot be reached; the reason in words.
    case offline(String)
    /// The store is in reach, and is not the container that it is to be; what is wrong, in words.
    case noContainer(String)
    /// `--deadline` passed without one byte of progress.
    case deadline
    case credentialsRefused(String)
    /// The store refuses a request about this document, whatever it says of others; why, in words.
    case documentRefused(String)
    /// Bytes or answers that contradict what was promised (digest, length, format).
    case corrupt(String)
    case storeFull
    case diskFull
    /// A precondition did not hold: the store has moved on.
    case refused
    /// The request may or may not have been carried out: settle it by operation id.
    ///
    /// `ofDocument` where the store answers for the container and all other documents.
    case outcomeUnknown(String, ofDocument: Bool = false)
    /// The document is too large for what the store can do under a condition.
    case tooLargeForStore
    /// No container may hold it, whatever its store; why, in words.
    case unstorable(String)
    /// The revision exists nowhere any more (S8).
    case revisionGone
    /// The document changed while it was being sent; send again.
    case bodyChanged

    /// What happened, in words for people, without a full stop; safe to print.
    package var sentence: String { ShownText.line(words) }

    private var words: String {
        switch self {
        case .notFound: "no such document"
        case .exists: "the name is already taken"
        case .notDirectory: "not a directory"
        case .isDirectory: "is a directory"
        case .notEmpty: "the directory is not empty"
        case .notPermitted: "not permitted"
        case .accessDenied: "permission denied"
        case .invalidArgument: "invalid argument"
        case .nameTooLong: "the name is too long"
        case .noSuchAttribute: "no such attribute"
        case .attributeTooLarge: "the attribute is too large"
        case .rangeTooSmall: "the buffer is too small"
        case .badHandle: "not open for this"
        case .readOnly: "nothing can be changed there: it is read-only"
        case .tooManyLinks: "too many links"
        case .loop: "a directory cannot move below itself"
        case .busy: "in use, pinned or not yet uploaded"
        case .notOffered: "not offered here"
        case .stale: "the document was replaced"
        case .interrupted: "interrupted"
        case .noMoreData: "no more data"
        case .tooLarge: "too large"
        case .wouldBlock: "would block"
        case .noDevice: "no such device"
        case .otherFilesystem: "on another filesystem"
        case .system(let errno): "the system refused (errno \(errno))"
        case .noContainer(let reason): reason
        case .offline(let reason): "the store cannot be reached: \(reason)"
        case .deadline: "no byte arrived within the deadline"
        case .credentialsRefused(let reason): "the store refused the credentials: \(reason)"
        case .documentRefused(let reason): "the store refuses this document: \(reason)"
        case .corrupt(let reason): "damaged: \(reason)"
        case .storeFull: "the store is full"
        case .diskFull: "the disk is full"
        case .refused: "another device changed the document"
        case .outcomeUnknown(let reason, _): "the store's answer was lost: \(reason)"
        case .tooLargeForStore: "too large for this store"
        case .unstorable(let reason): "no container can hold it: \(reason)"
        case .revisionGone: "this version exists nowhere any more"
        case .bodyChanged: "the document changed while it was being sent"
        }
    }
}
