/// Why a request has no answer.
enum HTTPFailure: Error, Sendable {
    /// Nothing of it can have had an effect: there was no connection.
    case notSent(String)
    /// Nothing of it can have had an effect: the server did not take all of its body.
    case notTaken(String)
    /// It may have been carried out.
    case lost(String)
    /// The task was cancelled; it may have been carried out.
    case cancelled
    /// Its body could not be had. Nothing of it can have had an effect.
    case source(DocFSError)

    /// Says, as the reason of a failure, that a request went no further.
    static let silence = "no byte within the deadline"

    /// Whether there is a connection, and nothing came.
    var isSilence: Bool {
        switch self {
        case .notTaken(let reason), .lost(let reason): reason == Self.silence
        case .notSent, .cancelled, .source: false
        }
    }

    /// As a request that changes nothing reports it.
    var ofReading: DocFSError {
        switch self {
        case .notSent(let reason), .notTaken(let reason), .lost(let reason): .offline(reason)
        case .cancelled: .interrupted
        case .source(let error): error
        }
    }
}
