internal import Synchronization

/// One opendir(3) of a directory of `Local/`.
///
/// Safe from any thread: one lock, held while entries are read.
package final class LocalListing: Sendable {
    struct State {
        let stream: DirectoryStream
        /// The cookie of the entry that was read last.
        var position: UInt64 = 0
        /// An entry that was read and had no room, with the cookie before it.
        var held: DirectoryStream.Entry?
    }

    /// The directory.
    package let number: FileNumber
    let directory: LocalDirectory
    let state: Mutex<State>

    init(_ directory: LocalDirectory) throws(DocFSError) {
        number = directory.number
        self.directory = directory
        state = Mutex(State(stream: try DirectoryStream(at: directory.descriptor.number)))
    }
}
