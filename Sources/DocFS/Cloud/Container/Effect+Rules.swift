extension Effect {
    /// Makes sure that every device will understand what this effect is to record.
    ///
    /// - Throws: `.unstorable`.
    package func check() throws(DocFSError) {
        guard let after else { return }
        do throws(RuleBreach) {
            _ = try StateBody(after).checked(of: item)
        } catch {
            throw .unstorable(error.words)
        }
    }
}

extension Change {
    /// What of ``ContainerRules`` this change breaks, in words; `nil` when every device will
    /// understand it.
    package var breach: String? {
        do throws(RuleBreach) {
            _ = try ChangeBody(self).checked()
            return nil
        } catch {
            return error.words
        }
    }

    /// About how many bytes of a record it takes.
    package var recordSize: Int {
        let names = [before?.name, after?.name, removed?.name].compactMap { $0?.bytes.count }
        let paths = [kept, object].compactMap { $0?.length }
        return ContainerRules.writtenSize(
            after?.metadata ?? removed?.metadata, names: (names + paths).reduce(0, +))
    }
}
