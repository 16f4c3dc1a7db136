/// The change log that a device keeps for itself of a place where it may write nothing and no
/// container is (S32).
package protocol PrivateLog: Sendable {
    /// Makes a container of the place, with this log, once this device may write.
    ///
    /// Done again, it goes on where it was interrupted.
    ///
    /// - Throws: `.refused` where another container is there by now.
    func publish() async throws(DocFSError)

    /// Removes the log: another device's container, attached since, has taken its place.
    func forget() async throws(DocFSError)
}
