import DocFS

extension MemoryStore {
    /// What lies below a directory of the container's own, files alone.
    func kept(_ directory: ItemPath) async throws -> [ItemPath] {
        var found: [ItemPath] = []
        var rest = [directory]
        while let next = rest.popLast() {
            guard let page = try? await stored(below: next, from: nil) else { continue }
            for object in page.objects {
                if object.kind == .directory { rest.append(object.path) }
                if object.kind == .file { found.append(object.path) }
            }
        }
        return found.sorted()
    }
}
