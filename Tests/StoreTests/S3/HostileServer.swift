/// A server on loopback that answers what a test wants, however wrong: one request for each
/// connection, which it closes.
final class HostileServer: Sendable {
    private let server: ScriptedServer

    var port: UInt16 { server.port }
    /// How many requests came.
    var requests: Int { server.connections }

    /// - Parameter answer: the bytes of the answer to the request of this number, from 1 on, by its
    ///   first line; `nil` closes the connection without one.
    init(_ answer: @escaping @Sendable (String, Int) -> String?) throws {
        server = try ScriptedServer { peer, number in
            guard let head = peer.head(),
                let reply = answer(String(head.prefix { $0 != "\r\n" }), number)
            else { return }
            peer.send(reply)
            peer.endSending()
            // Until the client has had enough, so that no reset overtakes the answer.
            peer.waitForEnd()
        }
    }

    func stop() { server.stop() }
}
