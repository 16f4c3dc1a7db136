import DocFS

/// What users wrote, and what must therefore still be somewhere: the oracle of R1 and R4, which
/// knows nothing of how syncing works.
///
/// A version stops to be required when a user overwrites or deletes it who had it before his eyes.
final class Ledger: @unchecked Sendable {
    private var required: [String: String] = [:]
    /// All who have written a text.
    private var origins: [String: Set<String>] = [:]
    private var released: Set<String> = []
    private var destroyed: Set<String> = []
    /// What the container had kept for long enough, by the directory that it was in.
    private(set) var expired: [ItemPath: Set<String>] = [:]
    private var known: Set<String> = [""]
    /// What another program moved elsewhere: who counts on it may look for it in vain.
    private var displaced: Set<String> = []
    /// All that was ever required, and what of it was excused.
    private(set) var acknowledged: Set<String> = []
    private(set) var excused: Set<String> = []
    private var byDigest: [DocFS.Digest: String] = [:]
    private var byRevision: [Revision: String] = [:]
    /// What was written behind a body that was not on its device, and that body (S8).
    private var remnants: [String: (rest: String, source: String)] = [:]

    init() {}

    init(copying other: Ledger) {
        required = other.required
        origins = other.origins
        released = other.released
        destroyed = other.destroyed
        expired = other.expired
        displaced = other.displaced
        acknowledged = other.acknowledged
        known = other.known
        byDigest = other.byDigest
        byRevision = other.byRevision
        remnants = other.remnants
    }

    static func digest(_ text: String) -> DocFS.Digest {
        SHA256.digest(of: Array(text.utf8))
    }

    /// `text` may be seen from now on.
    func announce(_ text: String) {
        known.insert(text)
        byDigest[Self.digest(text)] = text
    }

    /// `text` may be seen from now on, or only `rest`, which was written behind `old` where that
    /// was not all there: another program may destroy it before it was fetched (S8).
    ///
    /// - Parameter isWhole: `old` is what the container has, and no part of it was written here.
    func announce(
        _ text: String, of rest: String, writtenBehind old: String, isWhole: Bool
    ) {
        announce(text)
        let known = (isWhole ? nil : remnants[old]) ?? (rest: "", source: old)
        remnants[text] = (known.rest + rest, known.source)
        announce(known.rest + rest)
    }

    /// The same where `old` was cut off to `text`: less is left of what was written, or nothing.
    func announce(_ text: String, cutOffFrom old: String, isWhole: Bool) {
        announce(text)
        let known = (isWhole ? nil : remnants[old]) ?? (rest: "", source: old)
        let start = old.utf8.count - known.rest.utf8.count
        let left = known.rest.utf8.prefix(max(0, text.utf8.count - start))
        let rest = String(decoding: left, as: UTF8.self)
        remnants[text] = (rest, known.source)
        announce(rest)
    }

    /// What another program wrote became this revision; nobody told anybody its digest.
    func announce(_ text: String, as revision: Revision) { byRevision[revision] = text }

    /// A device sent what has this digest, which the log may be without: another program has copied
    /// or moved it with what is beside it before it was recorded.
    func announce(_ digest: DocFS.Digest, as revision: Revision) {
        byRevision[revision] = byDigest[digest]
    }

    func rename(_ old: Revision, _ new: Revision) {
        if let text = byRevision[old] { byRevision[new] = text }
    }

    /// `text` was acknowledged.
    func require(_ text: String, _ origin: String) {
        announce(text)
        // Who gave up the same bytes has seen these.
        guard !text.isEmpty else { return }
        acknowledged.insert(text)
        origins[text, default: []].insert(origin)
        if !released.contains(text) { required[text] = origin }
    }

    /// Somebody who saw `text` replaced or deleted it, or may have.
    func release(_ text: String) {
        required[text] = nil
        released.insert(text)
        // Whoever gives up an empty document gives up nothing that was written.
        if text.isEmpty { return }
        for (whole, remnant) in remnants where remnant.rest == text { required[whole] = nil }
    }

    /// Another program replaced `text`, of which the container keeps nothing then.
    func destroy(_ text: String) {
        release(text)
        destroyed.insert(text)
    }

    /// Another program moved `text`, or let it stand for something else.
    func displace(_ text: String) { displaced.insert(text) }

    /// The container had kept `text` for long enough, and keeps it no longer at `path`.
    func expire(_ text: String, from path: ItemPath) {
        destroyed.insert(text)
        expired[path.parent, default: []].insert(text)
    }

    /// Which of `texts` a device has written, and nobody else.
    func texts(of origin: String, among texts: Set<String>) -> Set<String> {
        texts.filter { origins[$0] == [origin] }
    }

    /// Whether the only body may have been destroyed where somebody still counted on it.
    ///
    /// Nobody counts on the body of an empty document: what seems to be one without its body is of
    /// a text that this ledger was not told.
    func isDestroyed(_ text: String) -> Bool { !text.isEmpty && destroyed.contains(text) }

    /// What somebody would read of a body that is not here.
    func text(of digest: DocFS.Digest?, _ revision: Revision?) -> String {
        digest.flatMap { byDigest[$0] } ?? revision.flatMap { byRevision[$0] } ?? ""
    }

    func isKnown(_ text: String) -> Bool { known.contains(text) }

    /// Whether what was written is there, without the body that was destroyed, or lies elsewhere.
    private func isRemnant(_ text: String, among texts: Set<String>) -> Bool {
        guard let remnant = remnants[text] else { return false }
        let isAway = isDestroyed(remnant.source) || displaced.contains(remnant.source)
        return isAway && (remnant.rest.isEmpty || texts.contains(remnant.rest))
    }

    private static func ends(of text: String) -> String {
        text.count > 60 ? "\(text.prefix(30))…\(text.suffix(30))" : text
    }

    /// What nobody gave up and nobody finds, with who wrote it.
    func lost(among texts: Set<String>) -> [String] {
        let missing = required.filter { !texts.contains($0.key) }
        let remnants = Set(missing.keys.filter { isRemnant($0, among: texts) })
        excused.formUnion(remnants)
        return missing.filter { !remnants.contains($0.key) }
            .map { "\($0.value): “\(Self.ends(of: $0.key))”" }
            .sorted()
    }
}
