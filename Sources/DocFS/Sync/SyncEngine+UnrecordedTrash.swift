/// Bodies that another device has put into the trash and not recorded yet: it may have lost its
/// connection in between, for long.
extension SyncEngine {
    /// Where a body is that is at none of the places that records tell of.
    enum Whereabouts {
        case found(ItemPath)
        /// It is not in the trash either.
        case nowhere
        /// Not all of the trash could be looked through.
        case unknown
        /// The store did not answer.
        case unanswered
    }

    /// What is in the trash by deletes that no record tells of.
    struct UnrecordedTrash: Sendable {
        var objects: [StoredObject] = []
        var isWhole = true
    }

    /// A look through the trash, whose outcome all share who do not need one that begins later.
    struct TrashWalk {
        let begun: UInt64
        /// `nil` while it goes on.
        var ended: UInt64?
        let task: Task<UnrecordedTrash?, Never>
    }

    /// For so long after its end the outcome of a walk counts, in nanoseconds.
    private static let walkCounts: UInt64 = 30_000_000_000
    /// So many parts of the trash are listed at once, where each is a request; so many objects are
    /// kept; so many are asked what they are for one body.
    private static let (parts, capacity, questions) = (100, 20_000, 128)

    /// Looks for a body in the trash.
    ///
    /// - Parameters:
    ///   - digest: the body's, where it is known: on a store that cannot move objects, what is in
    ///     the trash may have another revision.
    ///   - isCertain: nothing that has come into the trash before may be missed.
    func unrecordedTrash(
        of item: ItemID, at revision: Revision, _ digest: Digest?, isCertain: Bool = false
    ) async -> Whereabouts {
        guard let trash = await walkTrash(isCertain) else { return .unanswered }
        if let object = trash.objects.first(where: { $0.revision == revision }) {
            return .found(object.path)
        }
        guard let digest, !container.capabilities.moves else {
            return trash.isWhole ? .nowhere : .unknown
        }
        var isWhole = trash.isWhole && trash.objects.count <= Self.questions
        for object in trash.objects.prefix(Self.questions) {
            do throws(DocFSError) {
                let metadata = try await container.store.head(object.path)?.metadata
                if metadata?.item == item, metadata?.digest == digest { return .found(object.path) }
            } catch {
                isWhole = false
            }
        }
        return isWhole ? .nowhere : .unknown
    }

    /// - Parameter isNew: another walk's outcome does not count.
    /// - Returns: `nil` where the store did not answer.
    private func walkTrash(_ isNew: Bool) async -> UnrecordedTrash? {
        let now = clock.now()
        if !isNew, let walk = trashWalk, walk.ended.map({ now < $0 + Self.walkCounts }) ?? true {
            return await walk.task.value
        }
        let task = Task { () -> UnrecordedTrash? in
            do throws(DocFSError) {
                let trash = try await lookThroughTrash()
                if trashWalk?.begun == now { trashWalk?.ended = clock.now() }
                return trash
            } catch {
                // Who asks next has it tried again.
                if trashWalk?.begun == now { trashWalk = nil }
                return nil
            }
        }
        trashWalk = TrashWalk(begun: now, task: task)
        return await task.value
    }

    private func lookThroughTrash() async throws(DocFSError) -> UnrecordedTrash {
        var trash = UnrecordedTrash()
        var parts = container.capabilities.cheapListing ? Self.parts * 100 : Self.parts
        // The latest day comes first.
        var directories: [ItemPath]
        do throws(DocFSError) {
            directories = try await container.store.list(ContainerLayout.trash).map(\.path).sorted()
        } catch .notFound {
            return trash
        }
        while let directory = directories.popLast() {
            var next: String?
            repeat {
                if parts == 0 || isStopping || trash.objects.count >= Self.capacity {
                    trash.isWhole = false
                    return trash
                }
                parts -= 1
                let page: StoredPage
                do throws(DocFSError) {
                    page = try await container.store.stored(below: directory, from: next)
                } catch .notFound {
                    // Collected meanwhile.
                    break
                } catch .documentRefused {
                    // What is beside it may be told of.
                    trash.isWhole = false
                    break
                }
                next = page.next
                for object in try unrecorded(page.objects) {
                    if object.kind == .directory {
                        directories.append(object.path)
                    } else {
                        trash.objects.append(object)
                    }
                }
            } while next != nil
        }
        return trash
    }

    /// What is in the trash, or on the way to it, by deletes that no record tells of.
    private func unrecorded(_ objects: [StoredObject]) throws(DocFSError) -> [StoredObject] {
        let scopeID = scope.id
        return try catalog.readConsistently { (read) throws(DocFSError) in
            var unrecorded: [StoredObject] = []
            for object in objects {
                let names = object.path.components
                guard names.count <= ItemPath.maximumDepth else { continue }
                guard names.count > 3, let operation = OperationID(text: names[3].description),
                    try !read.hasTrash(of: operation, scope: scopeID)
                else { continue }
                unrecorded.append(object)
            }
            return unrecorded
        }
    }

    /// The digest of a body that the log has or had, or that a document here is made of.
    func digest(of item: ItemID, at revision: Revision) throws(DocFSError) -> Digest? {
        let scopeID = scope.id
        return try catalog.read { (read) throws(DocFSError) -> Digest? in
            for tree in [Tree.remote, .base] {
                let content = try read.state(tree, of: item, scope: scopeID)?.content
                if content?.revision == revision { return content?.body?.digest }
            }
            let row = try read.local(item: item, scope: scopeID)
            return row?.sourceRevision == revision ? row?.sourceDigest : nil
        }
    }
}
