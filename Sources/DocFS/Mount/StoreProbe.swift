internal import Synchronization

/// Tries what a store does, for people: `docfs-mount --probe URL`.
package final class StoreProbe: Sendable {
    private let store: S3Store
    private let url: String
    private let failure = Mutex<DocFSError?>(nil)

    /// Nanoseconds without one byte after which a request ends.
    private static let silence: UInt64 = 20_000_000_000

    /// - Throws: `ConfigurationError` for an address that cannot be meant.
    package convenience init(url: String) throws {
        let address = try S3Address(url: url)
        do throws(DocFSError) {
            self.init(try S3Store(address, silence: Self.silence), url)
        } catch {
            throw ConfigurationError("\(url): its file of certificates holds none")
        }
    }

    private init(_ store: S3Store, _ url: String) {
        self.store = store
        self.url = url
    }

    /// The results as a table in words, and why documents are not to be kept there, if that is so;
    /// blocks until they are there.
    ///
    /// - Throws: `MountFailure` for a store that cannot be asked.
    package func report() throws -> (table: String, refusal: String?) {
        let done = Wakeup()
        let report = Mutex<(String, String?)>(("", nil))
        Task {
            do throws(DocFSError) {
                let found = try await store.report()
                report.withLock { $0 = found }
            } catch {
                failure.withLock { $0 = error }
            }
            done.signal()
        }
        done.wait()
        if let error = failure.withLock({ $0 }) {
            throw MountFailure("\(url): \(error.sentence)")
        }
        return report.withLock { $0 }
    }
}
