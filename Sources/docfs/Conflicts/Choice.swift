/// What is to become of a conflict: the rules of S17, done with rename(2) and unlink(2) as ordinary
/// tools would.
enum Choice {
    /// This one stays at the name. The others go to the versions and the trash.
    case version(ConflictVersion)
    /// The siblings become documents of their own.
    case both
    /// This text stays, and has the edits of all.
    case merged([UInt8])

    /// Carries it out, unless the conflict is another one by now, and says what was done.
    ///
    /// First the container gets what is not to stay: of what it never had, nothing would be in its
    /// versions or trash.
    func carryOut(on conflict: Conflict) throws -> String {
        try conflict.checkUnchanged()
        let dropped = dropped(of: conflict)
        try conflict.store(dropped)
        try conflict.check(dropped)
        let name = conflict.name
        switch self {
        case .version(let version) where version.number == 1:
            for sibling in conflict.siblings { try Files.remove(sibling.path) }
            return "\(name): the current version stays; the others are in the trash"
        case .version(let version):
            // The choice clears the other siblings too.
            try Files.move(version.path, over: conflict.path)
            return "\(name): the version from \(version.title) stays; "
                + "what was current is in the versions"
        case .both:
            let names = try conflict.siblings.map { try Self.detach($0) }
            return "\(name): stays, beside " + names.joined(separator: ", ")
        case .merged(let text):
            try Replacing.document(conflict.path, checking: { try conflict.check(dropped) }) {
                file, part in
                // What is saved is based on what was opened just now: that must be what was merged.
                try conflict.checkUnchanged()
                try text.withUnsafeBytes { try Document.write($0, to: file, part) }
            }
            for sibling in conflict.siblings { try Files.remove(sibling.path) }
            return "\(name): merged; the versions as they were are in the versions and the trash"
        }
    }

    /// The versions whose bytes are under no name afterwards.
    private func dropped(of conflict: Conflict) -> [ConflictVersion] {
        switch self {
        case .version(let chosen): conflict.versions.filter { $0.number != chosen.number }
        case .both: []
        case .merged: conflict.versions
        }
    }

    /// Gives a sibling a name of its own; returns that.
    private static func detach(_ sibling: ConflictVersion) throws -> String {
        let slash = sibling.path.lastIndex(of: "/") ?? sibling.path.startIndex
        let (directory, name) = (
            sibling.path[..<slash], String(sibling.path[sibling.path.index(after: slash)...])
        )
        for attempt in 0... {
            let own = ConflictVersion.ownName(of: name, attempt: attempt)
            let path = directory + "/" + own
            if try Files.exists(path) { continue }
            try Files.move(sibling.path, to: path)
            return own
        }
        return name
    }

    /// All siblings merged into the current version, one after the other.
    ///
    /// - Throws: a sentence when that does not go without a contradiction.
    static func merge(_ conflict: Conflict) throws -> Choice {
        let name = conflict.name
        let merge = try Merge(
            of: Place(mount: conflict.mount, name: conflict.name, path: conflict.path))
        var text = try Document.bytes(of: conflict.path)
        for sibling in conflict.siblings {
            guard let next = try merge.merged(text, sibling) else {
                throw Failure(
                    "\(name): cannot be merged by itself: both sides changed the same place; "
                        + "nothing was done")
            }
            text = next
        }
        return .merged(text)
    }

    /// What `--keep` means for a conflict.
    static func named(_ word: String, _ conflict: Conflict) throws -> Choice {
        switch word {
        case "current": return .version(conflict.versions[0])
        case "newest":
            // Of equal times the current one.
            let newest = conflict.versions.max {
                ($0.modified, $1.number) < ($1.modified, $0.number)
            }
            return .version(newest ?? conflict.versions[0])
        case "both": return .both
        case "merge": return try merge(conflict)
        default: break
        }
        let found = conflict.versions.filter { version in
            word == "\(version.number)" || version.device == word
                || version.path.hasSuffix("/" + word)
        }
        guard found.count == 1 else {
            throw Failure(
                "\(conflict.name): has "
                    + (found.isEmpty ? "no version" : "more than one version")
                    + " '\(word)'; docfs conflicts names them")
        }
        return .version(found[0])
    }
}
