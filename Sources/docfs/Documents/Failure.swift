internal import Glibc

/// Why something was not done, in a sentence for people.
struct Failure: Error, CustomStringConvertible {
    let sentence: String

    var description: String { sentence }

    init(_ sentence: String) { self.sentence = sentence }

    /// What a system call said of a path.
    init(_ path: String, _ code: Int32) {
        sentence = "\(path): \(Self.sentence(code))"
    }

    /// The words of S32 where the mount means something of its own, else strerror(3)'s.
    static func sentence(_ code: Int32) -> String {
        switch code {
        case ENETUNREACH: "the store is out of reach"
        case ETIMEDOUT: "the store did not answer in time"
        case EDQUOT: "the store is full"
        case ESTALE: "it has changed or gone meanwhile"
        case EOPNOTSUPP: "that is not offered here"
        case ENODATA: "it has no such state: it is a document of this computer"
        case ENOTCONN: "the mount does not answer: its daemon has ended"
        default: String(cString: strerror(code))
        }
    }
}
