@testable import DocFS

/// What a server that cannot be trusted answers: what ``S3ServerObjects`` would, damaged now and
/// then.
///
/// Whether and how an answer is damaged is drawn from the seed, what is asked for, and how often
/// the like was asked for before, so that the order of requests that are under way at once changes
/// as little as can be. What is left to chance are the names that clients draw, how often they ask,
/// and the time.
package final class DamagingServer: Sendable {
    /// How a server damages.
    package struct Plan: Sendable {
        package var seed: UInt64
        /// One of so many answers is damaged.
        package var rarity: UInt64
        /// So many requests of the beginning are answered as they should be.
        package var spared: Int
        /// The same question gets the same damage each time.
        package var isStubborn: Bool

        package init(seed: UInt64, rarity: UInt64, spared: Int, isStubborn: Bool) {
            self.seed = seed
            self.rarity = rarity
            self.spared = spared
            self.isStubborn = isStubborn
        }
    }

    private struct State {
        var objects: S3ServerObjects
        var counts: [String: Int] = [:]
        var requests = 0
        /// Bodies that were stored, or said to be.
        var taken: Set<[UInt8]> = []
    }

    private let plan: Plan
    private let state: Monitor<State>
    private let tell: @Sendable (String) -> Void

    /// - Parameter tell: is told what is done to which answer.
    package init(
        _ objects: S3ServerObjects, _ plan: Plan, tell: @escaping @Sendable (String) -> Void
    ) {
        self.plan = plan
        self.tell = tell
        state = Monitor(State(objects: objects))
    }

    /// How many requests came.
    package var requests: Int { state.withLock { $0.requests } }

    /// What is there by now.
    package var objects: S3ServerObjects { state.withLock { $0.objects } }

    /// Puts an object there as another program does.
    package func put(
        _ key: String, _ body: [UInt8], _ fields: [(name: String, value: String)] = []
    ) {
        let now = Posix.wallTime().seconds
        state.withLock { $0.objects.put(Array(key.utf8), body, fields, at: now) }
    }

    /// Whether a body has come in, and whoever sent it may take it for stored.
    package func hasTaken(_ body: [UInt8]) -> Bool { state.withLock { $0.taken.contains(body) } }

    package func reply(to request: S3ServerRequest) -> S3Server.Reply {
        let now = Posix.wallTime().seconds
        let (reply, words) = state.withLock { answer(request, at: now, &$0) }
        if !words.isEmpty { tell("\(Self.words(of: request)): \(words.joined(separator: "; "))") }
        return reply
    }

    private func answer(_ request: S3ServerRequest, at now: Int64, _ state: inout State) -> (
        S3Server.Reply, [String]
    ) {
        let shape = Self.shape(of: request)
        let count = state.counts[shape, default: 0]
        state.counts[shape] = count + 1
        state.requests += 1
        var random = SeededRandom(
            seed: plan.seed ^ Self.number(plan.isStubborn ? shape : "\(shape) \(count)"))
        let isDamaged = state.requests > plan.spared && random.isOnce(in: plan.rarity)
        let before = state.objects
        var answer = state.objects.answer(request, at: now)
        var (bytes, end, words): ([UInt8], S3Server.End, [String]) = (answer.bytes, .open, [])
        if isDamaged {
            if request.method != "GET", request.method != "HEAD", random.isOnce(in: 6) {
                state.objects = before
                words.append("not done, and answered as if")
            }
            if request.method == "GET", request.key != nil, random.isOnce(in: 10),
                let other = before.keys.randomElement(using: &random)
            {
                answer = before.whole(other, at: now)
                words.append("answered with \(String(decoding: other, as: UTF8.self))")
            }
            let damage = AnswerDamage(
                answer, seed: random.next(), keys: before.keys, occurrence: count)
            (bytes, end) = (damage.reply.bytes, damage.reply.end)
            words += damage.words
        }
        if request.method == "PUT", !request.body.isEmpty, request.body.count < 1 << 16,
            answer.status == 200 || bytes.starts(with: Array("HTTP/1.1 2".utf8))
        {
            state.taken.insert(request.body)
        }
        return (S3Server.Reply(bytes, end: end), words)
    }

    // MARK: What is asked

    private static func target(_ request: S3ServerRequest) -> String {
        guard let key = request.key else {
            return "?\(request.query["prefix"] ?? "")\(request.query["delimiter"] ?? "")"
        }
        return String(decoding: key, as: UTF8.self)
    }

    private static func words(of request: S3ServerRequest) -> String {
        ShownText.line("\(request.method) \(target(request).prefix(200))")
    }

    /// What is asked for, without the names that clients draw.
    private static func shape(of request: S3ServerRequest) -> String {
        var shape: [UInt8] = Array("\(request.method) ".utf8)
        var run: [UInt8] = []
        for byte in Array(target(request).utf8) + [0] {
            if (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) {
                run.append(byte)
                continue
            }
            shape += run.count >= 32 ? [0x2A] : run
            shape.append(byte)
            run = []
        }
        return String(decoding: shape, as: UTF8.self)
    }

    /// FNV-1a of 64 bits.
    private static func number(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
