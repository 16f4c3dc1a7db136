import Testing
@testable import DocFS
@Test func version() { #expect(docFSVersion == "0.1.0") }
