internal import Logging

/// Changes in the log that break a rule (``ContainerRules``) are set aside by every device alike;
/// the user is told of them, since a document may be missing for that.
extension SyncEngine {
    /// The last so many are remembered.
    private static let remembered = 50

    private static func fact(_ scope: Int64) -> String { "set aside \(scope)" }

    /// Remembers what of a record was set aside, with the record's own transaction.
    nonisolated func remember(_ breaches: [String], of number: UInt64, _ write: CatalogWriter)
        throws(DocFSError)
    {
        guard !breaches.isEmpty else { return }
        let lines = breaches.map { "record \(number), \($0)" }
        let known = Self.lines(try write.read.fact(Self.fact(scopeID)))
        let text = (known + lines).suffix(Self.remembered).joined(separator: "\n")
        try write.setFact(Self.fact(scopeID), Array(text.utf8))
    }

    /// A snapshot stands for the records that they were in.
    nonisolated func forgetBreaches(_ write: CatalogWriter) throws(DocFSError) {
        try write.removeFact(Self.fact(scopeID))
    }

    /// Shows in the status what is set aside.
    func showBreaches() {
        let key = Self.fact(scopeID)
        let fact = try? catalog.read { (read) throws(DocFSError) in try read.fact(key) }
        let lines = Self.lines(fact ?? nil)
        catalog.bulletin.updateHealth(of: scopeID) { $0.setAside = lines }
    }

    private static func lines(_ fact: [UInt8]?) -> [String] {
        String(decoding: fact ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
