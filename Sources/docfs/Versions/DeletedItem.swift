/// Something in a container's trash.
struct DeletedItem {
    /// How the mark begins that tells deleted documents of one path apart.
    private static let mark = " (deleted "

    let mount: Mount
    /// Where it lies in the trash, from the mount's root on: its scope first.
    let inner: String
    let isDirectory: Bool

    /// Where it can be read, and moved from.
    var path: String { mount.control("trash/" + inner) }

    var scope: String { String(inner.prefix { $0 != "/" }) }

    /// The name that it had, and the path from the mount's root on.
    var plainInner: String {
        let parts = inner.split(separator: "/", omittingEmptySubsequences: false)
        let name = Self.plain(String(parts.last ?? ""))
        return (parts.dropLast().map(String.init) + [name]).joined(separator: "/")
    }

    /// What was deleted under a place's path; the latest, if it was more than once.
    static func latest(at place: Place) throws -> DeletedItem? {
        let components = place.components
        guard components.count > 1, let last = components.last else { return nil }
        let parent = components.dropLast().joined(separator: "/")
        let directory = place.mount.control("trash/" + parent)
        guard try Files.exists(directory), try Files.isDirectory(directory) else { return nil }
        let entries = try Files.entries(of: directory)
        let exact = entries.first { $0.name == last }
        // The marks end with the time, so the last name is the latest.
        let marked = entries.last { $0.name != last && plain($0.name) == last }
        return (exact ?? marked).map {
            DeletedItem(
                mount: place.mount, inner: parent + "/" + $0.name, isDirectory: $0.isDirectory)
        }
    }

    /// Without ` (deleted YYYY-MM-DD HH.MM.SS)`.
    private static func plain(_ name: String) -> String {
        guard let begin = name.range(of: mark, last: true),
            let end = name[begin.upperBound...].firstIndex(of: ")"),
            name[begin.upperBound..<end].allSatisfy({ $0.isNumber || "-. ".contains($0) })
        else { return name }
        return String(name[..<begin.lowerBound] + name[name.index(after: end)...])
    }
}

extension String {
    /// Where `text` stands, the last time when `last`.
    func range(of text: String, last: Bool) -> Range<Index>? {
        let starts = last ? Array(indices.reversed()) : Array(indices)
        guard let start = starts.first(where: { self[$0...].hasPrefix(text) }) else { return nil }
        return start..<index(start, offsetBy: text.count)
    }
}
