import Crypto
import DocFS

/// What users wrote, and what must therefore still be somewhere: the oracle of R1 and R4, which
/// knows nothing of how syncing works.
///
/// A version stops to be required when a user overwrites or deletes it who had it before his eyes.
final class Ledger: @unchecked Sendable {
    private var required: [String: String] = [:]
    private var released: Set<String> = []
    private var destroyed: Set<String> = []
    private var known: Set<String> = [""]
    private var byDigest: [DocFS.Digest: String] = [:]
    private var byRevision: [Revision: String] = [:]

    init() {}

    init(copying other: Ledger) {
        required = other.required
        released = other.released
        destroyed = other.destroyed
        known = other.known
        byDigest = other.byDigest
        byRevision = other.byRevision
    }

    static func digest(_ text: String) -> DocFS.Digest {
        DocFS.Digest(bytes: SHA256.hash(data: Array(text.utf8)))!
    }

    /// `text` may be seen from now on.
    func announce(_ text: String) {
        known.insert(text)
        byDigest[Self.digest(text)] = text
    }

    /// What another program wrote became this revision; nobody told anybody its digest.
    func announce(_ text: String, as revision: Revision) { byRevision[revision] = text }

    func rename(_ old: Revision, _ new: Revision) {
        if let text = byRevision[old] { byRevision[new] = text }
    }

    /// `text` was acknowledged.
    func require(_ text: String, _ origin: String) {
        announce(text)
        // Who gave up the same bytes has seen these.
        if !text.isEmpty, !released.contains(text) { required[text] = origin }
    }

    /// Somebody who saw `text` replaced or deleted it, or may have.
    func release(_ text: String) {
        required[text] = nil
        released.insert(text)
    }

    /// Another program replaced `text`, of which the container keeps nothing then.
    func destroy(_ text: String) {
        release(text)
        destroyed.insert(text)
    }

    /// The container had kept `text` for long enough, and keeps it no longer.
    func expire(_ text: String) { destroyed.insert(text) }

    /// Whether the only body may have been destroyed where somebody still counted on it.
    func isDestroyed(_ text: String) -> Bool { destroyed.contains(text) }

    /// What somebody would read of a body that is not here.
    func text(of digest: DocFS.Digest?, _ revision: Revision?) -> String {
        digest.flatMap { byDigest[$0] } ?? revision.flatMap { byRevision[$0] } ?? ""
    }

    func isKnown(_ text: String) -> Bool { known.contains(text) }

    /// What nobody gave up and nobody finds, with who wrote it.
    func lost(among texts: Set<String>) -> [String] {
        required.filter { !texts.contains($0.key) }.map { "\($0.value): “\($0.key.prefix(40))”" }
            .sorted()
    }
}
