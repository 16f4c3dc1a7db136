package import DocFS
internal import Glibc

/// A server on loopback: HTTP/1.1 with connections that are kept open, all on one thread.
///
/// One request is answered after the other, in the order in which they are whole. With clients that
/// ask several things at once that order is theirs, and differs from run to run.
package final class S3Server: Sendable {
    /// What becomes of one request.
    package struct Reply: Sendable {
        package var bytes: [UInt8]
        package var end: End

        package init(_ bytes: [UInt8], end: End = .open) {
            self.bytes = bytes
            self.end = end
        }
    }

    /// What becomes of the connection then.
    package enum End: Sendable {
        case open
        case closed
        /// It stays open, and nothing is said on it any more.
        case silent
    }

    package let port: UInt16
    private let listening: Int32
    private let wakeup: (reading: Int32, writing: Int32)
    private let isOver = Monitor(false)

    /// - Parameter answer: is called on the server's thread.
    /// - Throws: `.system` when there is no socket.
    package init(_ answer: @escaping @Sendable (S3ServerRequest) -> Reply) throws(DocFSError) {
        var ends: [Int32] = [-1, -1]
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | 0o2000000, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { [listening] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
                bind(listening, plain, length) | listen(listening, 64)
                    | getsockname(listening, plain, &length)
            }
        }
        guard listening >= 0, result == 0, pipe(&ends) == 0 else { throw .system(errno: errno) }
        port = UInt16(bigEndian: address.sin_port)
        wakeup = (ends[0], ends[1])
        let loop = Loop(listening: listening, wakeup: ends[0], answer)
        OwnThread.start(name: "s3-server") { [isOver] in
            loop.run()
            isOver.withLock { $0 = true }
        }
    }

    /// Closes all connections.
    ///
    /// Nothing is answered any more when it returns.
    package func stop() {
        close(wakeup.writing)
        _ = isOver.wait(nanoseconds: 10_000_000_000) { $0 ? $0 : nil }
        close(wakeup.reading)
        close(listening)
    }

    /// What the thread has.
    private final class Loop: @unchecked Sendable {
        private struct Connection {
            let number: Int32
            var bytes: [UInt8] = []
            /// What comes is of no interest any more.
            var isDeaf = false
        }

        private let listening: Int32
        private let wakeup: Int32
        private let answer: @Sendable (S3ServerRequest) -> Reply
        private var connections: [Connection] = []
        private var space = [UInt8](repeating: 0, count: 1 << 16)

        init(
            listening: Int32, wakeup: Int32,
            _ answer: @escaping @Sendable (S3ServerRequest) -> Reply
        ) {
            self.listening = listening
            self.wakeup = wakeup
            self.answer = answer
        }

        func run() {
            while true {
                let files = [wakeup, listening] + connections.map(\.number)
                var polled = files.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
                if polled[0].revents != 0 { break }
                for index in connections.indices.reversed() where polled[index + 2].revents != 0 {
                    if !serve(index) { connections.remove(at: index) }
                }
                if polled[1].revents != 0 { admit() }
            }
            for connection in connections { close(connection.number) }
        }

        private func admit() {
            let number = accept(listening, nil, nil)
            guard number >= 0 else { return }
            // Who does not read what was asked for must not hold up the others.
            var patience = timeval(tv_sec: 0, tv_usec: 200_000)
            setsockopt(
                number, SOL_SOCKET, SO_SNDTIMEO, &patience,
                socklen_t(MemoryLayout<timeval>.size))
            connections.append(Connection(number: number))
        }

        /// - Returns: whether the connection is still there.
        private func serve(_ index: Int) -> Bool {
            let number = connections[index].number
            let count = recv(number, &space, space.count, 0)
            guard count > 0 else {
                close(number)
                return false
            }
            if connections[index].isDeaf { return true }
            connections[index].bytes += space[..<count]
            while !connections[index].isDeaf,
                let request = S3ServerRequest(takingFrom: &connections[index].bytes)
            {
                let reply = answer(request)
                let isTaken = send(reply.bytes, number)
                if reply.end != .open || !isTaken { connections[index].isDeaf = true }
                // Until the client has had enough, so that no reset overtakes the answer.
                if reply.end == .closed || !isTaken { shutdown(number, Int32(SHUT_WR)) }
            }
            return true
        }

        private func send(_ bytes: [UInt8], _ number: Int32) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}
