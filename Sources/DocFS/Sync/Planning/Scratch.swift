/// Names that tools give to what is no document (S15), and those that the configuration adds.
package struct Scratch: Sendable {
    /// One of the configuration's.
    package struct Rule: Sendable {
        /// Whether names that match are scratch, or documents after all.
        let isScratch: Bool
        let matches: @Sendable (Name) -> Bool

        package init(isScratch: Bool, matches: @escaping @Sendable (Name) -> Bool) {
            self.isScratch = isScratch
            self.matches = matches
        }
    }

    private let rules: [Rule]

    /// - Parameter rules: the last one that matches decides, before the built-in ones.
    package init(_ rules: [Rule] = []) {
        self.rules = rules
    }

    /// Whether an item created under `name` lives on this device only.
    package func matches(_ name: Name) -> Bool {
        if name == Self.reserved { return true }
        let rule = rules.last { $0.matches(name) }
        return rule?.isScratch ?? Self.isBuiltIn(name)
    }

    /// What a container keeps for itself: a tree that moves in with one is no content of another.
    private static let reserved = Name(".docfs")

    private static func isBuiltIn(_ name: Name) -> Bool {
        let bytes = name.bytes
        return isSwap(bytes) || (hasPrefix(bytes, "#") && hasSuffix(bytes, "#") && bytes.count > 1)
            || prefixes.contains { hasPrefix(bytes, $0) }
            || suffixes.contains { hasSuffix(bytes, $0) }
            || (hasPrefix(bytes, "lu") && hasSuffix(bytes, ".tmp"))
            || (hasPrefix(bytes, ".~lock.") && hasSuffix(bytes, "#"))
    }

    private static let prefixes = [".#", "~$", ".goutputstream-", ".fuse_hidden", ".nfs"]
    private static let suffixes = ["~", ".part", ".crdownload"]

    /// Vim's `.*.sw[a-p]`, and its probe for one, `.*.swx`.
    private static func isSwap(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 5, bytes[0] == 0x2E, let last = bytes.last else { return false }
        let isLetter = (0x61...0x70).contains(last) || last == 0x78
        return isLetter && bytes.dropLast().suffix(3).elementsEqual(Array(".sw".utf8))
    }

    private static func hasPrefix(_ bytes: [UInt8], _ text: String) -> Bool {
        bytes.starts(with: text.utf8)
    }

    private static func hasSuffix(_ bytes: [UInt8], _ text: String) -> Bool {
        bytes.suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
