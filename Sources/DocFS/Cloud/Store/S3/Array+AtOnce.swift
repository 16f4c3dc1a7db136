extension Array where Element: Sendable {
    /// The outcomes of calls for all elements, in their order, with at most `limit` under way.
    ///
    /// - Throws: one of the errors. After the first, no further call is begun, and those under way
    ///   are waited for.
    func map<Outcome: Sendable>(
        atOnce limit: Int, _ call: @escaping @Sendable (Element) async throws(DocFSError) -> Outcome
    ) async throws(DocFSError) -> [Outcome] {
        let results = await withTaskGroup(of: (Int, Result<Outcome, DocFSError>).self) { group in
            var results: [(index: Int, result: Result<Outcome, DocFSError>)] = []
            var rest = enumerated().makeIterator()
            func begin() {
                guard let (index, element) = rest.next() else { return }
                group.addTask {
                    let result = await Result(awaiting: { () async throws(DocFSError) in
                        try await call(element)
                    })
                    return (index, result)
                }
            }
            for _ in 0..<limit { begin() }
            while let (index, result) = await group.next() {
                results.append((index, result))
                if case .success = result { begin() } else { rest = [].enumerated().makeIterator() }
            }
            return results.sorted { $0.index < $1.index }
        }
        var outcomes: [Outcome] = []
        for (_, result) in results { outcomes.append(try result.get()) }
        return outcomes
    }
}
