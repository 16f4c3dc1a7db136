internal import FoundationEssentials
internal import Synchronization

/// Sends requests to one bucket: signed, again where that may help, each refusal with its code.
///
/// A request that is answered by 429, 503 and the like, or by nothing, is sent again after a while
/// that doubles, with chance in it so that devices do not come in step; what the store asks for
/// (Retry-After) counts up to five seconds. Redirects are not followed: credentials go to one
/// server.
final class S3Client: Sendable {
    let address: S3Address
    private let transport: HTTPTransport
    private let source: S3CredentialSource
    /// Seconds by which the store's clock is ahead of this one.
    private let ahead = Mutex<Int64>(0)
    private let region: Mutex<String>
    private let signing = S3SigningKey()
    private let keys: S3Keys
    /// The tags of tombstones, whose bodies all differ.
    private let tombstones = Mutex<Set<String>>([])
    /// Keys of documents about which the store said nothing, and when.
    private let unanswered = Mutex<[String: ContinuousClock.Instant]>([:])
    /// Whether what was written, or deleted, had a version: the bucket has versioning.
    let hasSeenVersions = Atomic(false)
    /// Whether a change was refused to us since that was last asked: any, and a write of what the
    /// container needs.
    let wasForbidden = Atomic(false)
    let wasForbiddenOwn = Atomic(false)
    /// Whether what is not there is refused to us too, and not called absent.
    let refusesWhatIsAbsent = Atomic(false)

    init(_ address: S3Address, credentials source: S3CredentialSource, _ transport: HTTPTransport) {
        self.address = address
        self.source = source
        self.transport = transport
        region = Mutex(address.region)
        keys = S3Keys(prefix: address.prefix)
    }

    /// Ends all requests at once, also those that come later, as if their tasks were cancelled.
    func close() { transport.close() }

    /// How often a request is sent at most.
    static let attempts = 5
    /// Nanoseconds.
    private static let firstPause: UInt64 = 100_000_000
    private static let longestPause: UInt64 = 5_000_000_000
    private static let largestError = 1 << 16

    /// What one request came to.
    private enum Outcome: Sendable {
        case answered(HTTPReply)
        case refused(S3Failure)
        case unanswered(HTTPFailure)
    }

    /// What a request came to that may have changed something.
    enum Change<Value: Sendable>: Sendable {
        case answered(HTTPReply)
        case refused(S3Failure)
        /// Its answer was lost; this is what was found of it.
        case found(Value)
    }

    /// Sends a request that changes nothing, as often as it takes.
    ///
    /// - Returns: an answer of success, or a refusal that stays one.
    func read(_ request: S3Request) async throws(DocFSError) -> Result<HTTPReply, S3Failure> {
        var attempt = 1
        while true {
            switch try await send(request, .none, payload: Self.emptyDigest) {
            case .answered(let reply): return .success(reply)
            case .refused(var failure) where !failure.isPassing || attempt == Self.attempts:
                failure.isLasting = await isLasting(failure)
                return .failure(failure)
            case .refused(let failure): try await pause(attempt, atLeast: failure.retryAfter)
            case .unanswered(.cancelled): throw .interrupted
            case .unanswered(.source(let error)): throw error
            case .unanswered(let failure):
                try await noteSilence(of: request, failure, attempt)
                if attempt == Self.attempts { throw failure.ofReading }
                try await pause(attempt, atLeast: nil)
            }
            attempt += 1
        }
    }

    /// Whether a failure or redirect concerns this one document alone: the store still answers for
    /// the container's marker.
    private func isLasting(_ failure: S3Failure) async -> Bool {
        guard failure.isOfDocument, failure.status == 500 || 300...399 ~= failure.status else {
            return false
        }
        return await answersForMarker()
    }

    private func answersForMarker(patience: Duration? = nil) async -> Bool {
        let request = S3Request("HEAD", address, key: keys.own + "container.json")
        // Whatever is wrong, that is no answer.
        let outcome = try? await send(
            request, .none, payload: Self.emptyDigest, patience: patience)
        guard case .answered = outcome else { return false }
        return true
    }

    /// How long a HEAD waits for a document about which the store said nothing lately, and every
    /// one for the marker after that.
    private static let shortPatience = Duration.seconds(2)
    /// How long it is remembered that a store said nothing about a document.
    private static let memory = Duration.seconds(600)

    /// Where requests about a document have twice met nothing but silence, and the store answers
    /// for the container's marker, that is this document's trouble: a disk behind the store may
    /// hang that has some of the objects.
    ///
    /// Once may be a connection that was dead already.
    ///
    /// - Throws: `.documentRefused` then.
    private func noteSilence(of request: S3Request, _ failure: HTTPFailure, _ attempt: Int)
        async throws(DocFSError)
    {
        guard failure.isSilence, request.keys.contains(where: isAboutDocument),
            attempt > 1 || request.keys.contains(where: isUnanswered),
            await answersForMarker(patience: Self.shortPatience)
        else { return }
        let now = ContinuousClock.now
        unanswered.withLock { unanswered in
            unanswered = unanswered.filter { now < $0.value + Self.memory }
            // From then on there is the usual time for it once more.
            for key in request.keys where unanswered[key] == nil { unanswered[key] = now }
        }
        throw .documentRefused("no answer within the deadline (\(Self.name(of: request, address)))")
    }

    /// Whether the store said nothing about a document lately.
    func isUnanswered(_ key: String) -> Bool {
        let now = ContinuousClock.now
        return unanswered.withLock { $0[key].map { now < $0 + Self.memory } ?? false }
    }

    private func isOfDocument(_ request: S3Request) -> Bool {
        request.keys.contains(where: keys.isOfDocument)
    }

    /// The note about a tombstone is about a document as well.
    private func isAboutDocument(_ key: String) -> Bool {
        keys.isOfDocument(key) || keys.buried(saidBy: key) != nil
    }

    private static func name(of request: S3Request, _ address: S3Address) -> String {
        var name = "\(request.method) \(request.keys.first ?? address.bucket)"
        if request.keys.count > 1 { name += " from \(request.keys[1])" }
        return name
    }

    /// The most tombstones that need not be read once more.
    private static let rememberedTombstones = 10_000

    /// Remembers the tag of a body that is a tombstone's.
    func note(tombstone tag: String) {
        tombstones.withLock { tombstones in
            if tombstones.count >= Self.rememberedTombstones { tombstones.removeAll() }
            tombstones.insert(tag)
        }
    }

    /// Whether the body of that tag is known to be a tombstone's.
    func isTombstone(_ tag: String) -> Bool { tombstones.withLock { $0.contains(tag) } }

    /// Sends a request that changes something until it is known what came of it.
    ///
    /// - Parameters:
    ///   - payload: the SHA-256 of the body in hexadecimal digits, or ``unsigned``.
    ///   - attempts: how often it is sent at most.
    ///   - body: makes the body of one attempt.
    ///   - look: whether an attempt whose answer was lost has taken effect, and what it made.
    /// - Throws: `.outcomeUnknown` when that cannot be found out, or the store is there and takes
    ///   nothing: only one that cannot be reached is `.offline`.
    func change<Value: Sendable>(
        _ request: S3Request, payload: String, attempts: Int = S3Client.attempts,
        body: () async throws(DocFSError) -> HTTPBody,
        look: () async throws(DocFSError) -> Value?
    ) async throws(DocFSError) -> Change<Value> {
        var isUnknown = false
        var isReached = false
        var reason = ""
        for attempt in 1...attempts {
            var asked: Int?
            do throws(DocFSError) {
                switch try await send(request, try await body(), payload: payload) {
                case .answered(let reply): return .answered(reply)
                case .refused(let failure) where !failure.isPassing:
                    if isUnknown, let found = try await look() { return .found(found) }
                    return .refused(failure)
                case .refused(let failure):
                    reason = failure.words
                    asked = failure.retryAfter
                    isUnknown = isUnknown || failure.status >= 500
                case .unanswered(.source(let error)): throw error
                case .unanswered(.cancelled):
                    isUnknown = true
                    throw .interrupted
                case .unanswered(.notSent(let words)): reason = words
                case .unanswered(.notTaken(let words)):
                    reason = words
                    isReached = true
                    try await noteSilence(of: request, .notTaken(words), attempt)
                case .unanswered(.lost(let words)):
                    reason = words
                    isUnknown = true
                    try await noteSilence(of: request, .lost(words), attempt)
                }
                if isUnknown, let found = try await look() { return .found(found) }
                if attempt < attempts { try await pause(attempt, atLeast: asked) }
            } catch {
                guard isUnknown else { throw error }
                // What the request was to build on has gone: as when the store says so.
                if case .documentRefused(let reason) = error {
                    throw .outcomeUnknown(reason, ofDocument: true)
                }
                guard error == .refused else { throw .outcomeUnknown(error.sentence) }
                if let found = try await look() { return .found(found) }
                throw error
            }
        }
        throw isUnknown || isReached ? .outcomeUnknown(reason) : .offline(reason)
    }

    /// Sends a request, and at once again where the answer told how to make it right.
    ///
    /// - Throws: `.credentialsRefused` without asking when there are no keys.
    private func send(
        _ request: S3Request, _ body: HTTPBody, payload: String, patience: Duration? = nil
    ) async throws(DocFSError) -> Outcome {
        if Task.isCancelled { return .unanswered(.source(.interrupted)) }
        var patience = patience
        // Others may wait for a look at a document, and not for its body.
        if request.method == "HEAD", request.keys.contains(where: isUnanswered) {
            patience = patience ?? Self.shortPatience
        }
        let outcome = try await sendOnce(request, body, payload, patience)
        guard case .refused(let failure) = outcome, failure.isAboutUs else { return outcome }
        // The body of an upload can be had only once: the caller makes another.
        if case .upload = body { return outcome }
        return try await sendOnce(request, body, payload, patience)
    }

    private func sendOnce(
        _ request: S3Request, _ body: HTTPBody, _ payload: String, _ patience: Duration?
    ) async throws(DocFSError) -> Outcome {
        // A revision from outside that no store can have: what asks for it cannot hold.
        guard request.headers.allSatisfy({ HTTPTransport.isOneLine($0.1) }) else {
            return .unanswered(.source(.refused))
        }
        let signature = S3Signature(
            credentials: try source.credentials(), region: region.withLock { $0 },
            signing: signing)
        let time = Int64(Date().timeIntervalSince1970) + ahead.withLock { $0 }
        let headers = signature.sign(request, at: time, payload: payload)
        let reply: HTTPReply
        do throws(HTTPFailure) {
            reply = try await transport.send(
                request.method, request.url, headers, body, patience: patience)
        } catch {
            return .unanswered(error)
        }
        unanswered.withLock { unanswered in
            if !unanswered.isEmpty { for key in request.keys { unanswered[key] = nil } }
        }
        if (200...299).contains(reply.status) {
            // Only of what is written now: what was before keeps its version when versioning ends.
            if !["GET", "HEAD"].contains(request.method), S3Object.version(reply) != nil {
                hasSeenVersions.store(true, ordering: .relaxed)
            }
            return .answered(reply)
        }
        let failure = await learned(from: reply, failure(of: reply, to: request))
        if failure.isForbidden, !["GET", "HEAD"].contains(request.method) {
            wasForbidden.store(true, ordering: .relaxed)
            if !failure.isOfDocument, request.method != "DELETE" {
                wasForbiddenOwn.store(true, ordering: .relaxed)
            }
        }
        return .refused(failure)
    }

    private func failure(of reply: HTTPReply, to request: S3Request) async -> S3Failure {
        var failure = S3Failure(
            status: reply.status, retryAfter: reply["retry-after"].flatMap { Int($0) })
        failure.request = Self.name(of: request, address)
        failure.isOfDocument = isOfDocument(request)
        // The status is true without a body. What it says of an object, a code has to confirm.
        guard let body = try? await reply.bytes(atMost: Self.largestError) else { return failure }
        let reader = S3XMLReader()
        if (try? reader.read(body)) != nil, reader.root == "Error" {
            failure.code = reader.first("Code") ?? ""
            failure.message = reader.first("Message") ?? ""
            failure.region = reader.first("Region")
        }
        failure.region = reply["x-amz-bucket-region"] ?? failure.region
        return failure
    }

    private static let codesOfKeys: Set<String> = [
        "ExpiredToken", "InvalidAccessKeyId", "SignatureDoesNotMatch",
    ]

    /// Takes over what a refusal tells of clock, region and keys.
    private func learned(from reply: HTTPReply, _ failure: S3Failure) async -> S3Failure {
        var failure = failure
        switch failure.code {
        case "RequestTimeTooSkewed":
            guard let date = reply["date"].flatMap(S3Time.seconds(http:)) else { break }
            let right = date - Int64(Date().timeIntervalSince1970)
            failure.isAboutUs = ahead.withLock { ahead in
                defer { ahead = right }
                return abs(ahead - right) > 60
            }
        case "AuthorizationHeaderMalformed":
            guard let right = failure.region, Self.isRegion(right) else { break }
            failure.isAboutUs = region.withLock { region in
                defer { region = right }
                return region != right
            }
        default:
            // So some say, with other codes or none, that keys have expired or are suspended.
            let isOfKeys = failure.status == 403 && !failure.isOfDocument
            guard isOfKeys || Self.codesOfKeys.contains(failure.code) else { break }
            failure.isAboutUs = await transport.elsewhere { [source] in source.reread() }
            failure.trouble = source.trouble
        }
        return failure
    }

    /// Whether a store's word for a region can be signed with.
    ///
    /// With what no header holds nothing would be sent any more: no answer could make it right.
    private static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    /// Waits before the next attempt.
    ///
    /// - Parameter asked: seconds that the store wants.
    func pause(_ attempt: Int, atLeast asked: Int?) async throws(DocFSError) {
        do throws(HTTPFailure) {
            try await transport.pause(nanoseconds: Self.pause(attempt, atLeast: asked))
        } catch {
            throw .interrupted
        }
    }

    /// Nanoseconds to wait after `attempt`.
    static func pause(_ attempt: Int, atLeast asked: Int?) -> UInt64 {
        let most = min(longestPause, firstPause << UInt64(attempt - 1))
        let wanted = UInt64(max(0, min(asked ?? 0, 3600))) * 1_000_000_000
        return max(UInt64.random(in: most / 2...most), min(longestPause, wanted))
    }

    static let emptyDigest = digest([])

    /// The payload of a body that nobody has hashed.
    static let unsigned = "UNSIGNED-PAYLOAD"

    static func digest(_ bytes: [UInt8]) -> String {
        SHA256.digest(of: bytes).description
    }
}
