internal import Synchronization
internal import Testing

@testable import DocFS

/// `.docfs/check`.
struct CheckTests {
    @Test("check names each document that is not what it counts as, and says how many it looked at")
    func lines() throws {
        let fixture = try ControlFixture()
        let directory = try fixture.addDirectory("dir")
        for index in 0..<1500 { try fixture.add(Name("\(index)"), to: directory) }
        let missing = try fixture.add("missing", to: directory) { $0.size = 10 }
        let edited = try fixture.add(Name([0xFF]), to: directory) { $0.size = 9 }
        let placeholder = try fixture.add("placeholder") { $0.state = .none }
        fixture.documents.state.withLock {
            $0.damages[missing.ino] = BodyDamage(here: nil, isEdit: false)
            $0.damages[edited.ino] = BodyDamage(here: 3, isEdit: true)
            $0.damages[placeholder.ino] = BodyDamage(here: 3, isEdit: true)
        }
        #expect(
            try fixture.read("check") == """
                {"checked":1024}
                {"scope":"Cloud","path":"dir/missing","isEncoded":false,"size":10,\
                "isMissing":true,"here":0,"isEdit":false}
                {"scope":"Cloud","path":"dir/%FF","isEncoded":true,"size":9,\
                "isMissing":false,"here":3,"isEdit":true}
                {"checked":1502}

                """)
        #expect(try fixture.stat("check").mode & 0o777 == 0o400)
    }
}
