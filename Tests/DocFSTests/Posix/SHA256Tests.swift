import Testing

@testable import DocFS

/// The examples of FIPS 180-4 and RFC 4231.
@Suite struct SHA256Tests {
    @Test func digests() {
        #expect(
            SHA256.digest(of: []).description
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            SHA256.digest(of: Array("abc".utf8)).description
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let long = [UInt8](repeating: 0x61, count: 1_000_000)
        #expect(
            SHA256.digest(of: long).description
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func piecesHashLikeTheWhole() {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        var hash = SHA256()
        for start in stride(from: 0, to: bytes.count, by: 777) {
            bytes[start..<min(start + 777, bytes.count)].withUnsafeBytes { hash.update($0) }
            // Asking in between changes nothing.
            _ = hash.digest()
        }
        #expect(hash.digest() == SHA256.digest(of: bytes))
        #expect(hash.digest() == SHA256.digest(of: bytes))
    }

    @Test func authenticationCodes() {
        func code(_ key: [UInt8], _ text: String) -> String {
            let code = SHA256.authenticationCode(of: Array(text.utf8), key: key)
            return Digest(bytes: code)?.description ?? ""
        }
        #expect(
            code([UInt8](repeating: 0x0B, count: 20), "Hi There")
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            code(Array("Jefe".utf8), "what do ya want for nothing?")
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
