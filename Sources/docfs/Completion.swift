/// Words that a shell offers.
enum Completion {
    /// Paths in the trash of the mount that the word to be completed lies in.
    static func deleted(_ words: [String]) -> [String] {
        let word = words.last ?? ""
        let directory = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
        guard let place = try? Place(directory.isEmpty ? "." : directory) else { return [] }
        let found = (try? Files.entries(of: place.control("trash"))) ?? []
        return found.map { directory + $0.name + ($0.isDirectory ? "/" : "") }
    }
}
