/// A store's refusal: the status and, where its body says, the code (Amazon S3 API Reference,
/// "Error responses").
struct S3Failure: Error, Sendable {
    let status: Int
    /// `NoSuchKey` and the like; empty where there is none, as in answers to HEAD.
    var code = ""
    /// The store's sentence for people; empty where it has none.
    var message = ""
    /// Method and key, as `GET photos/cat.jpg`.
    var request = ""
    /// Whether the request was about a document, and not about an object or a listing that the
    /// container needs.
    var isOfDocument = false
    /// Whether the store answered every attempt for this document so, and works otherwise.
    var isLasting = false
    /// Seconds that the store asks to be left alone; `nil` when it asks for nothing.
    let retryAfter: Int?
    /// Where the bucket is, when that was the trouble.
    var region: String?
    /// Whether the answer told what was wrong with the request, and it is right the next time.
    var isAboutUs = false
    /// Why there are no other keys, in words, where ours are refused and cannot be read again.
    var trouble: String?

    init(status: Int, retryAfter: Int?) {
        self.status = status
        self.retryAfter = retryAfter
    }

    /// What the store says, cut to what a code may be long, and ``trouble``.
    var words: String {
        let said = code.isEmpty ? "HTTP \(status)" : ShownText.line(String(code.prefix(64)))
        return trouble.map { "\(said); \($0)" } ?? said
    }

    /// The refusal in words, with the request.
    var reason: String {
        var text = request.isEmpty ? words : "\(words) (\(request))"
        let said = String(message.unicodeScalars.prefix(200))
        if !said.isEmpty { text += ": \(ShownText.line(said))" }
        return text
    }

    /// The error for a code that the table does not know.
    private var refusal: DocFSError {
        isOfDocument ? .documentRefused(reason) : .corrupt("the store refused: \(reason)")
    }

    /// Whether the store says that there is no such object.
    ///
    /// Some 404 are a proxy's, or about the bucket: they say nothing of the object.
    var isAbsence: Bool { status == 404 && code == "NoSuchKey" }

    /// Whether the store says that whoever signed the request may not do that.
    var isForbidden: Bool {
        switch code {
        case "AccessDenied", "AllAccessDisabled", "MethodNotAllowed": true
        default: code.isEmpty && (status == 403 || status == 405)
        }
    }

    /// Whether a copy may be refused because its source is too large for one request.
    var mayBeAboutSize: Bool { code == "InvalidRequest" || code == "EntityTooLarge" }

    /// Whether a write may be refused because of what is to be beside the object.
    var mayBeAboutHeaders: Bool {
        if isPassing || error == .tooLargeForStore { return false }
        switch (status, code) {
        case (_, "SignatureDoesNotMatch"): return true
        case (_, "ExpiredToken"), (_, "InvalidToken"): return false
        default: return [400, 431, 501].contains(status)
        }
    }

    /// What it means, apart from what one request makes of it.
    var error: DocFSError {
        if isLasting { return .documentRefused(reason) }
        switch (status, code) {
        case (_, "NoSuchBucket"): return .offline("the bucket does not exist")
        case (_, "ExpiredToken"), (_, "InvalidAccessKeyId"), (_, "SignatureDoesNotMatch"),
            (_, "InvalidToken"):
            return .credentialsRefused(reason)
        // Amazon S3 User Guide, "Archived objects": Glacier's classes are restored before they
        // are read.
        case (_, "InvalidObjectState"):
            let words = "it is in an archive: restore it there first (\(request))"
            return isOfDocument ? .documentRefused(words) : .offline(words)
        case (_, "RequestTimeTooSkewed"): return .offline("the store's clock is another one")
        case (_, "QuotaExceeded"), (507, _): return .storeFull
        case (_, "EntityTooLarge"): return .tooLargeForStore
        case (_, "KeyTooLongError"): return .nameTooLong
        case (401, _), (403, _), (_, "AccessDenied"):
            return isOfDocument ? .documentRefused(reason) : .credentialsRefused(reason)
        case (404, "NoSuchKey"): return .notFound
        case (404, _): return .offline("the store answers \(words)")
        case (412, _), (409, _): return .refused
        case (416, _): return .corrupt("the store has fewer bytes than it listed")
        case (300...399, _):
            let place = region.map { " in \($0)" } ?? ""
            return .offline("the store sends us elsewhere\(place): name that endpoint")
        case (408, _), (429, _), (500...599, _): return .offline(words)
        default: return isPassing ? .offline(words) : refusal
        }
    }

    /// Whether the same request may succeed soon.
    var isPassing: Bool {
        if isAboutUs { return true }
        switch (status, code) {
        case (408, _), (409, _), (429, _), (500...599, _): return status != 501 && status != 507
        // Bytes that were changed or lost on the way.
        case (_, "RequestTimeout"), (_, "SlowDown"), (_, "BadDigest"), (_, "IncompleteBody"),
            (_, "XAmzContentSHA256Mismatch"):
            return true
        default: return false
        }
    }
}
