/// What a store was found to do with every condition, by trying it ("Probe, never assume").
///
/// Kept in the container, so that each device need not try again; tried again when another server
/// answers.
package struct S3Probe: Hashable, Sendable, Codable {
    /// How a store wants an ETag in a condition.
    package enum TagForm: String, Hashable, Sendable, Codable {
        /// As RFC 9110, 8.8.3 has it.
        case quoted
        case bare

        func text(_ tag: String) -> String { self == .quoted ? "\"\(tag)\"" : tag }
    }

    /// The version of this format and of what is tried.
    package static let current = 3

    package var version = S3Probe.current
    /// What the server calls itself; empty when it does not.
    package var server = ""
    /// What the bucket said of its versioning when the store was tried: see
    /// ``S3Objects/versioning()``.
    package var versioning: String?
    /// Whether what was written had a version; `nil` for a store that was tried before that was
    /// looked at.
    package var givesVersions: Bool?
    /// Writing with If-None-Match: refused where something is, done where nothing is.
    package var createsIfAbsent = false
    /// How many of eight who create one object at once were told that they did.
    package var winnersOfEight = 0
    /// Writing with If-Match: refused for another revision, done for the current one.
    package var replaces: TagForm?
    /// Deleting with If-Match, likewise.
    package var removes: TagForm?
    /// Deleting what was not written after a given second: how tombstones can go again.
    package var removesUnchanged = false
    /// The header by which a copy is made of one revision only.
    package var copySource: String?
    /// Copying with If-None-Match and If-Match, for the destination.
    package var copiesIfAbsent = false
    package var copyReplaces: TagForm?
    /// Completing a multipart upload with If-None-Match: as for writing, with one winner of eight.
    package var completesIfAbsent = false
    /// Completing one with If-Match.
    package var completes: TagForm?
    /// A body that does not hash to what was signed is refused.
    package var checksBodies = false

    package init() {}

    /// Whether creating has one winner.
    package var hasExclusiveCreation: Bool { createsIfAbsent && winnersOfEight == 1 }

    var isVersioned: Bool { givesVersions ?? false }

    /// Whether the bucket is set as it was when the store was tried, as far as it tells.
    ///
    /// - Parameter versioning: what it says of its versioning by now; `nil` where it does not tell.
    func isTried(with versioning: String?) -> Bool {
        versioning == nil || versioning == (self.versioning ?? "")
    }

    /// Why the bucket is none to keep documents in, in words.
    ///
    /// Ceph's gateway 16.2 honours no condition for objects that have versions; once versioning has
    /// ended it refuses for ever to create one again that was deleted.
    var refusal: String? {
        guard isVersioned || !(versioning ?? "").isEmpty,
            !hasExclusiveCreation || replaces == nil
        else { return nil }
        return "the bucket has versioning, or had it, and this store then does not refuse to "
            + "overwrite what another device writes: use a bucket that never had it"
    }

    /// What the store above may count on.
    var capabilities: StoreCapabilities {
        StoreCapabilities(
            conditionalCreate: hasExclusiveCreation, conditionalReplace: replaces != nil,
            // Where deleting has no condition, a tombstone is written under one.
            conditionalRemove: removes != nil || replaces != nil, moves: false,
            objectMetadata: true, metadataInPlace: false, listsMetadata: false,
            directories: false, events: false, cheapListing: false, foldsNames: false,
            recordIntervalMilliseconds: 1000)
    }

    /// The headers that make a write conditional; none where the store takes no notice of them.
    func conditions(_ condition: WriteCondition) -> [(String, String)] {
        switch condition {
        case .absent: createsIfAbsent ? [("if-none-match", "*")] : []
        case .revision(let revision):
            replaces.map { [("if-match", $0.text(revision.token))] } ?? []
        }
    }

    /// The header that makes a delete one of what was not written after that second, since 1970:
    /// Ceph's gateway has it (`RGWDeleteObj_ObjStore_S3::get_params`).
    static func unchanged(since second: Int64) -> (String, String) {
        ("x-amz-delete-if-unmodified-since", CivilTime(Timestamp(seconds: second)).isoText)
    }

    /// The header that makes a copy one of this revision only; `nil` where the store takes no
    /// notice of it.
    func sourceCondition(_ revision: Revision) -> (String, String)? {
        copySource.map { ($0, TagForm.quoted.text(revision.token)) }
    }
}
