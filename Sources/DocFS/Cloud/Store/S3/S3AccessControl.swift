/// Who may do what with an object (Amazon S3 User Guide, "Access control list (ACL) overview").
struct S3AccessControl: Hashable, Sendable {
    struct Grant: Hashable, Sendable {
        /// As a header names it: `id="…"` for an account, `uri="…"` for a group.
        var grantee: String
        /// `READ` and the like.
        var permission: String
    }

    /// The canonical ID of the account that owns the object.
    let owner: String
    private(set) var grants: [Grant] = []

    /// Those that an object can have, each with the header that grants it.
    private static let permissions = [
        "FULL_CONTROL": "x-amz-grant-full-control", "READ": "x-amz-grant-read",
        "READ_ACP": "x-amz-grant-read-acp", "WRITE_ACP": "x-amz-grant-write-acp",
    ]

    /// Reads an answer; `nil` when it names no owner.
    init?(_ reader: S3XMLReader) {
        guard let owner = reader.first("Owner/ID"), Self.isPlain(owner) else { return nil }
        self.owner = owner
        var grantee: String?
        for element in reader.elements {
            switch element.path {
            case "AccessControlList/Grant": grantee = nil
            case "AccessControlList/Grant/Grantee/ID" where Self.isPlain(element.text):
                grantee = "id=\"\(element.text)\""
            case "AccessControlList/Grant/Grantee/URI" where Self.isPlain(element.text):
                grantee = "uri=\"\(element.text)\""
            case "AccessControlList/Grant/Permission":
                if let grantee, Self.permissions[element.text] != nil {
                    grants.append(Grant(grantee: grantee, permission: element.text))
                }
            default: break
            }
        }
    }

    /// Whether nobody but the owner may do anything, as with an object whose writer granted
    /// nothing.
    var isPrivate: Bool { grants.allSatisfy { $0.grantee == "id=\"\(owner)\"" } }

    /// The headers that grant the same, and everything to `account`, which will own the object.
    func headers(for account: String) -> [S3Metadata.Header] {
        let own = Grant(grantee: "id=\"\(account)\"", permission: "FULL_CONTROL")
        let all = Set(grants).union([own])
        return Dictionary(grouping: all, by: \.permission).compactMap { permission, grants in
            Self.permissions[permission].map { name in
                S3Metadata.Header(
                    name: name, value: grants.map(\.grantee).sorted().joined(separator: ", "))
            }
        }
        .sorted { $0.name < $1.name }
    }

    /// Whether a header can name it.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 }
    }
}
