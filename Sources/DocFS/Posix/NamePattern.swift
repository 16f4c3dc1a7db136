internal import Glibc

/// A pattern of names, as fnmatch(3) reads them: `*`, `?`, `[a-z]`.
package struct NamePattern: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package func matches(_ name: Name) -> Bool {
        (name.bytes + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { fnmatch(text, $0.baseAddress!, 0) == 0 }
        }
    }
}
