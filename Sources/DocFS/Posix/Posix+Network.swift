internal import Glibc

extension Posix {
    /// What strerror(3) says of an error's number.
    package static func words(of number: Int32) -> String { String(cString: strerror(number)) }

    /// Whether it is one of connect(2)'s: there is nobody who could have been asked.
    package static func isUnconnected(_ number: Int32) -> Bool {
        [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN].contains(number)
    }
}
