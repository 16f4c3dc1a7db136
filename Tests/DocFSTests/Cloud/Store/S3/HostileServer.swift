import Foundation
import Synchronization

/// A server on loopback that answers what a test wants, however wrong: one request for each
/// connection, which it closes.
final class HostileServer: Sendable {

    let port: UInt16
    private let listener: Int32
    private let count = Mutex(0)

    /// How many requests came.
    var requests: Int { count.withLock { $0 } }

    /// - Parameter answer: the bytes of the answer to the request of this number, from 1 on, by its
    ///   first line; `nil` closes the connection without one.
    init(_ answer: @escaping @Sendable (String, Int) -> String?) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
                bind(listener, plain, length) | listen(listener, 64)
                    | getsockname(listener, plain, &length)
            }
        }
        guard listener >= 0, result == 0 else { throw CocoaError(.fileReadUnknown) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        let thread = Thread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                guard let server = self else {
                    close(connection)
                    return
                }
                server.serve(connection, answer)
            }
        }
        thread.start()
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ connection: Int32, _ answer: (String, Int) -> String?) {
        defer { close(connection) }
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !text.contains("\r\n\r\n") {
            let length = recv(connection, &buffer, buffer.count, 0)
            guard length > 0 else { return }
            text += String(decoding: buffer[..<length], as: UTF8.self)
        }
        let number = count.withLock { count in
            count += 1
            return count
        }
        guard let reply = answer(String(text.prefix { $0 != "\r\n" && $0 != "\r" }), number) else {
            return
        }
        let bytes = Array(reply.utf8)
        _ = bytes.withUnsafeBytes {
            Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        shutdown(connection, Int32(SHUT_WR))
        // Until the client has had enough, so that no reset overtakes the answer.
        while recv(connection, &buffer, buffer.count, 0) > 0 {}
    }
}
