internal import FoundationEssentials
internal import Synchronization

/// Where the keys come from: the file that the address names, else the environment, else the shared
/// AWS configuration files (AWS SDKs and Tools Reference Guide, "Shared config and credentials
/// files").
///
/// Files are read again when a store refuses what they said.
final class S3CredentialSource: Sendable {
    private let file: String?
    private let profile: String?
    private let environment: [String: String]
    private let known = Mutex<S3Credentials?>(nil)
    private let refusal = Mutex<String?>(nil)

    init(
        file: String?, profile: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.file = file
        self.profile = profile
        self.environment = environment
    }

    /// The keys to sign with.
    ///
    /// - Throws: `.credentialsRefused` when there are none, or a file of them is open to others.
    func credentials() throws(DocFSError) -> S3Credentials {
        if let known = known.withLock({ $0 }) { return known }
        let found = try read()
        known.withLock { $0 = found }
        return found
    }

    /// The store refuses them: what has changed in a file since counts.
    ///
    /// - Returns: whether there are other ones now.
    func reread() -> Bool {
        let found: S3Credentials
        do throws(DocFSError) {
            found = try read()
            refusal.withLock { $0 = nil }
        } catch {
            let words =
                if case .credentialsRefused(let words) = error { words } else { error.sentence }
            refusal.withLock { $0 = words }
            return false
        }
        return known.withLock { known in
            defer { known = found }
            return known != found
        }
    }

    /// Why ``reread()`` could not read them the last time, in words; `nil` when it could.
    var trouble: String? { refusal.withLock { $0 } }

    private func read() throws(DocFSError) -> S3Credentials {
        if let file {
            let sections = try Self.privateSections(of: file)
            guard let found = Self.credentials(in: sections[profile ?? "default"]) else {
                throw .credentialsRefused("\(file) has no keys for \(profile ?? "default")")
            }
            return found
        }
        if profile == nil, let key = environment["AWS_ACCESS_KEY_ID"],
            let secret = environment["AWS_SECRET_ACCESS_KEY"], !key.isEmpty, !secret.isEmpty
        {
            return S3Credentials(
                accessKey: key, secretKey: secret, sessionToken: environment["AWS_SESSION_TOKEN"])
        }
        let name = profile ?? environment["AWS_PROFILE"] ?? "default"
        let home = environment["HOME"] ?? ""
        let shared = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? "\(home)/.aws/credentials"
        let config = environment["AWS_CONFIG_FILE"] ?? "\(home)/.aws/config"
        var unread = ""
        for (path, section) in [
            (shared, name), (config, name == "default" ? name : "profile \(name)"),
        ] {
            do throws(DocFSError) {
                let sections = try Self.sections(of: path)
                if let found = Self.credentials(in: sections[section]) { return found }
            } catch .notFound {
                // One of the two is enough.
            } catch {
                unread += "; \(path) cannot be read"
            }
        }
        throw .credentialsRefused(
            "no keys in the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) and none for "
                + "the profile '\(name)' in \(shared) or \(config)\(unread)")
    }

    private static func credentials(in section: [String: String]?) -> S3Credentials? {
        guard let key = section?["aws_access_key_id"],
            let secret = section?["aws_secret_access_key"], !key.isEmpty, !secret.isEmpty
        else { return nil }
        return S3Credentials(
            accessKey: key, secretKey: secret, sessionToken: section?["aws_session_token"])
    }

    /// As ``sections(of:)``, of a file that nobody else may read.
    private static func privateSections(of path: String) throws(DocFSError)
        -> [String: [String: String]]
    {
        do throws(DocFSError) {
            let status = try Posix.status(path: path)
            guard status.mode & 0o077 == 0 else {
                throw DocFSError.credentialsRefused(
                    "\(path) may be read by others: chmod 600 it")
            }
            return try sections(of: path)
        } catch {
            if case .credentialsRefused = error { throw error }
            // Said of the file: a request that fails so would seem to tell of an object.
            throw .credentialsRefused("\(path) cannot be read: \(error.sentence)")
        }
    }

    /// The sections of a file in the form of INI, by name.
    private static func sections(of path: String) throws(DocFSError) -> [String: [String: String]] {
        let bytes = try Posix.contents(ofPath: path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .credentialsRefused("\(path) cannot be read: it is no text")
        }
        return sections(in: text)
    }

    static func sections(in text: String) -> [String: [String: String]] {
        var sections: [String: [String: String]] = [:]
        var current = "default"
        for line in text.split(whereSeparator: \.isNewline) {
            // Lines that begin with a blank belong to the value above: none of ours has such.
            guard let first = line.first, !first.isWhitespace else { continue }
            let plain = trimmed(line)
            if plain.hasPrefix("#") || plain.hasPrefix(";") { continue }
            if plain.hasPrefix("["), let end = plain.firstIndex(of: "]") {
                current = trimmed(plain[plain.index(after: plain.startIndex)..<end])
                continue
            }
            guard let equals = plain.firstIndex(of: "=") else { continue }
            let name = trimmed(plain[..<equals]).lowercased()
            let value = trimmed(plain[plain.index(after: equals)...])
            sections[current, default: [:]][name] = value
        }
        return sections
    }

    /// `text` without blanks at both ends.
    private static func trimmed(_ text: Substring) -> String {
        let rest = text.drop(while: \.isWhitespace)
        let end = rest.lastIndex { !$0.isWhitespace }
        return end.map { String(rest[...$0]) } ?? ""
    }
}
