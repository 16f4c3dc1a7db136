/// A rule by which a store removes or archives objects that are old (Amazon S3 User Guide,
/// "Managing your storage lifecycle").
struct S3LifecycleRule: Hashable, Sendable {
    private var prefix = ""
    private var isEnabled = false
    /// Whether objects cannot be read any more then: not only earlier versions, or uploads.
    private var takes = false
    /// Whether it is about objects with tags only, which ours have not.
    private var isOfTags = false

    /// Storage classes whose objects have to be restored before they are read (Amazon S3 User
    /// Guide, "Understanding S3 Glacier storage classes").
    private static let archives: Set<String> = ["GLACIER", "DEEP_ARCHIVE"]

    /// Those of an answer.
    static func all(in reader: S3XMLReader) -> [S3LifecycleRule] {
        var rules: [S3LifecycleRule] = []
        for element in reader.elements {
            if element.path == "Rule" { rules.append(S3LifecycleRule()) }
            guard !rules.isEmpty else { continue }
            let last = rules.count - 1
            switch element.path {
            case "Rule/Status": rules[last].isEnabled = element.text == "Enabled"
            case "Rule/Prefix", "Rule/Filter/Prefix", "Rule/Filter/And/Prefix":
                rules[last].prefix = element.text
            case "Rule/Expiration/Days", "Rule/Expiration/Date": rules[last].takes = true
            case "Rule/Transition/StorageClass" where Self.archives.contains(element.text):
                rules[last].takes = true
            case "Rule/Filter/Tag", "Rule/Filter/And/Tag": rules[last].isOfTags = true
            default: break
            }
        }
        return rules
    }

    /// Whether it takes objects below `prefix` away.
    func concerns(_ prefix: String) -> Bool {
        isEnabled && takes && !isOfTags
            && (prefix.utf8.starts(with: self.prefix.utf8)
                || self.prefix.utf8.starts(with: prefix.utf8))
    }
}
