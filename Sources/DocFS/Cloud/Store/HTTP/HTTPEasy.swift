internal import CCurl

/// A transfer as libcurl carries it out: an easy handle, its options and what it calls.
///
/// Only the transport's thread uses it, which has taken it out of the multi handle when it goes.
final class HTTPEasy {
    let transfer: HTTPTransfer
    let handle: UnsafeMutableRawPointer
    private let authorities: HTTPAuthorities?
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let words: UnsafeMutablePointer<CChar>
    private var head = HTTPHead()
    private var objection: String?
    /// There is something for who waits for the answer that he was not told of.
    private var isNew = false
    /// Whether it has had a connection: before that nothing was sent.
    private var isConnected = false
    /// When the server was last heard of, or took bytes; and how many it has taken.
    private var progress = ContinuousClock.now
    private var taken: UInt64 = 0

    /// Bytes that are read from a connection at once.
    private static let buffer = 1 << 16
    /// Bytes that may wait in a connection before the network has them.
    private static let unsent: Int32 = 1 << 17
    private static let longestConnecting = Duration.seconds(10)

    /// `nil` when libcurl has no memory.
    init?(_ transfer: HTTPTransfer, silence: Duration, authorities: HTTPAuthorities?) {
        guard let handle = curl_easy_init() else { return nil }
        self.transfer = transfer
        self.handle = handle
        self.authorities = authorities
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        setConnection(min(silence, Self.longestConnecting))
        setRequest()
        var callbacks = Self.callbacks
        ccurl_set_callbacks(handle, &callbacks, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(headers)
        words.deallocate()
    }

    private func setConnection(_ connecting: Duration) {
        ccurl_set_error_buffer(handle, words)
        ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        // A name that is being looked up is not waited for.
        ccurl_set_long(handle, CURLOPT_QUICK_EXIT, 1)
        ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        ccurl_set_long(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        ccurl_set_long(handle, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, max(1, connecting.milliseconds))
        ccurl_set_long(handle, CURLOPT_BUFFERSIZE, Self.buffer)
        ccurl_limit_unsent(handle, Self.unsent)
        if let authorities, !authorities.add(to: handle) { objection = "no memory" }
        // Of a file alone libcurl keeps what it has read.
        if ccurl_has_authorities_file(handle) != 0 {
            ccurl_set_text(handle, CURLOPT_CAPATH, nil)
        }
        // What answers for a proxy is no answer.
        ccurl_set_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if HTTPOrigin(ofURL: transfer.request.url)?.isLoopback ?? false {
            ccurl_set_text(handle, CURLOPT_NOPROXY, "*")
        }
    }

    private func setRequest() {
        let request = transfer.request
        ccurl_set_text(handle, CURLOPT_URL, request.url)
        // The signature has it like that.
        ccurl_set_long(handle, CURLOPT_PATH_AS_IS, 1)
        if request.method == "HEAD" {
            ccurl_set_long(handle, CURLOPT_NOBODY, 1)
        } else if let size = request.size {
            ccurl_set_long(handle, CURLOPT_UPLOAD, 1)
            ccurl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(size))
            ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method)
        } else if request.method != "GET" {
            ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method)
        }
        // libcurl's own are left out, of which the signature knows nothing.
        for line in ["Expect:", "Accept:", "Content-Type:"] { add(line) }
        // An empty value is written with a semicolon.
        for (name, value) in request.headers where name != "host" {
            add(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers)
    }

    private func add(_ line: String) { headers = curl_slist_append(headers, line) }

    // MARK: What libcurl calls

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPEasy {
        Unmanaged<HTTPEasy>.fromOpaque(context!).takeUnretainedValue()
    }

    private static let callbacks = ccurl_callbacks(
        head: { bytes, size, count, context in
            HTTPEasy.of(context).takeHead(.init(start: bytes, count: size * count))
        },
        body: { bytes, size, count, context in
            HTTPEasy.of(context).takeBody(.init(start: bytes, count: size * count))
        },
        upload: { bytes, size, count, context in
            HTTPEasy.of(context).fill(.init(start: bytes, count: size * count))
        },
        connected: { context, _, _, _, _ in HTTPEasy.of(context).connect() })

    private func connect() -> Int32 {
        // libcurl sends it once more, on a new connection: the first time may have had an effect.
        if isConnected, !transfer.request.mayRepeat {
            objection = "the connection ended without an answer"
            return CURL_PREREQFUNC_ABORT
        }
        isConnected = true
        progress = .now
        return CURL_PREREQFUNC_OK
    }

    private func takeHead(_ bytes: UnsafeRawBufferPointer) -> Int {
        let wasWhole = head.isWhole
        objection = objection ?? head.take(bytes)
        if objection != nil { return 0 }
        if head.isWhole, !wasWhole {
            progress = .now
            transfer.begin(head)
            isNew = true
        }
        return bytes.count
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        progress = .now
        guard transfer.take(bytes) else { return Int(CURL_WRITEFUNC_PAUSE) }
        isNew = true
        return bytes.count
    }

    private func fill(_ space: UnsafeMutableRawBufferPointer) -> Int {
        switch transfer.portion(into: space) {
        case .bytes(let count): count
        case .later: Int(CURL_READFUNC_PAUSE)
        case .none: Int(CURL_READFUNC_ABORT)
        }
    }

    // MARK: What the transport's thread asks

    /// Tells who waits for the answer what has come of it, once for all of it: head and body of a
    /// small one come together.
    func tell() {
        if isNew { transfer.tell() }
        isNew = false
    }

    /// Lets libcurl go on with what it was told to wait for.
    func resume() { curl_easy_pause(handle, CURLPAUSE_CONT) }

    /// When it has been waited for long enough: `silence` after the last byte of a body, in either
    /// direction.
    ///
    /// Neither parts of a head nor interim answers are progress: a head has that long as a whole.
    /// Connecting has its own limit.
    func end(at now: ContinuousClock.Instant, _ silence: Duration) -> ContinuousClock.Instant {
        guard isConnected, !transfer.isHeld else {
            progress = now
            return now + silence
        }
        if let size = transfer.request.size, taken < size {
            let count = UInt64(max(0, ccurl_uploaded(handle)))
            if count > taken { (taken, progress) = (count, now) }
        }
        return progress + silence
    }

    /// Tells the transfer how libcurl has ended it.
    func end(_ result: CURLcode) {
        if result == CURLE_OK, head.isWhole {
            transfer.end(.whole)
        } else {
            transfer.end(.failed(failure(result)))
        }
    }

    private func failure(_ result: CURLcode) -> HTTPFailure {
        if let objection { return .lost(objection) }
        let reason =
            words.pointee == 0
            ? String(cString: curl_easy_strerror(result)) : String(cString: words)
        if isConnected { return .lost(reason) }
        if Self.isAboutTLS(result) { return .notSent("TLS: \(reason)") }
        let number = Int32(truncatingIfNeeded: ccurl_system_error(handle))
        if result == CURLE_COULDNT_CONNECT, number != 0,
            let origin = HTTPOrigin(ofURL: transfer.request.url)
        {
            let words = Posix.words(of: number)
            return .notSent("no connection to \(origin.host):\(origin.port): \(words)")
        }
        return .notSent("no connection: \(reason)")
    }

    private static func isAboutTLS(_ result: CURLcode) -> Bool {
        [
            CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
        ].contains(result)
    }
}

extension Duration {
    fileprivate var milliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}
