/// Words that a shell offers.
enum Completion {
    /// Paths in the trash of the mount that a word lies in: the one at `index`, as far as the
    /// cursor if the shell says where that is.
    static func deleted(_ words: [String], _ index: Int, _ beginning: String) -> [String] {
        let word = beginning.isEmpty && words.indices.contains(index) ? words[index] : beginning
        let directory = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
        // A shell asks, and can show no error: there is nothing to offer.
        guard let place = try? Place(directory.isEmpty ? "." : directory) else { return [] }
        let found = (try? Files.entries(of: place.control("trash"))) ?? []
        // Nothing that would do something to the terminal.
        let names = found.filter { ByteText.shown($0.name) == $0.name }
        return names.map { directory + $0.name + ($0.isDirectory ? "/" : "") }
    }

    /// ArgumentParser's script asks for the cursor in a way that fish 3 refuses.
    static func fish(_ script: String) -> String {
        script.replacing("(__docfs_tokens -tC)", with: "(string length -- (commandline -ct))")
    }
}
