import Foundation
import Synchronization

/// A server on loopback that follows a script on each connection, on a thread of its own.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let isOver = Gate()
    private let peers = Mutex<[Peer]>([])

    /// How many connections came.
    var connections: Int { peers.withLock { $0.count } }
    var url: String { "http://127.0.0.1:\(port)/" }

    /// The other end of one connection.
    final class Peer: Sendable {
        private let socket: Int32
        private let isOpen = Mutex(true)

        init(_ socket: Int32) { self.socket = socket }

        /// The next request's head; `nil` when the connection ends before.
        func head() -> String? {
            var text = ""
            var byte: UInt8 = 0
            while !text.hasSuffix("\r\n\r\n") {
                guard recv(socket, &byte, 1, 0) == 1 else { return nil }
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
            return text
        }

        /// The next bytes of a body, no more than `count`; fewer when the connection ends.
        func body(_ count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while bytes.count < count {
                let length = recv(socket, &buffer, min(buffer.count, count - bytes.count), 0)
                guard length > 0 else { break }
                bytes += buffer[..<length]
            }
            return bytes
        }

        /// Sends all of it; false when the other end is gone.
        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }

        /// Sends `text` again and again until the other end has had enough.
        func sendForEver(_ text: String, pause: UInt32) {
            while send(text) { usleep(pause) }
        }

        /// Returns when the other end is gone.
        func waitForEnd() {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while recv(socket, &buffer, buffer.count, 0) > 0 {}
        }

        /// Returns when the other end is gone, without taking anything from it.
        func waitForEndWithoutReading() {
            // POLLRDHUP, which Glibc's module hides.
            var entry = pollfd(fd: socket, events: 0x2000, revents: 0)
            while poll(&entry, 1, -1) < 0 {}
        }

        /// Lets the other end know that no more comes.
        func endSending() { shutdown(socket, Int32(SHUT_WR)) }

        /// Ends the connection as a computer does that knows nothing of it.
        func reset() {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                socket, SOL_SOCKET, SO_LINGER, &linger,
                socklen_t(MemoryLayout.size(ofValue: linger)))
            close()
        }

        func close() {
            isOpen.withLock { isOpen in
                if isOpen { Glibc.close(socket) }
                isOpen = false
            }
        }

        fileprivate func abort() {
            isOpen.withLock { if $0 { _ = shutdown(socket, Int32(SHUT_RDWR)) } }
        }
    }

    /// - Parameter script: what is done on a connection, which ends with it; with the connection's
    ///   number, from 1 on.
    init(_ script: @escaping @Sendable (Peer, Int) -> Void) throws {
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
        Thread { [weak self, isOver] in
            defer { isOver.open() }
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                let peer = Peer(socket)
                guard let self else { return peer.close() }
                let number = peers.withLock { peers in
                    peers.append(peer)
                    return peers.count
                }
                Thread {
                    script(peer, number)
                    peer.close()
                }.start()
            }
        }.start()
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        // Closed below a waiting thread, its number would be the next server's, whose connections
        // the thread would take.
        isOver.wait()
        close(listener)
        for peer in peers.withLock({ $0 }) { peer.abort() }
    }
}
