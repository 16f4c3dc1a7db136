import Testing

@testable import DocFS

/// What comes from a container becomes checked values where it is decoded, and nowhere else.
struct ContainerRulesTests {
    @Test(
        "A change that breaks a rule is left out and told of; the others count",
        arguments: ForgedJSON.refused)
    func changes(_ name: String, _ change: String) throws {
        let record = try ContainerCoding.decodeRecord(
            ForgedJSON.record([ForgedJSON.change(), change]))
        #expect(record.changes.count == 1)
        #expect(record.breaches.count == 1)
        #expect(record.breaches.first?.hasPrefix("change 2: ") == true)
    }

    @Test("A change that keeps the rules is taken, up to their ends")
    func ends() throws {
        let kept = [
            ForgedJSON.change(["after": ForgedJSON.state(["size": "9223372036854775807"])]),
            ForgedJSON.change(["after": ForgedJSON.state(["mtime": "[-62135596800,999999999]"])]),
            ForgedJSON.change(["after": ForgedJSON.state(["mtime": "[253402300799,0]"])]),
            ForgedJSON.change(["kept": "\".docfs/trash/2026-01-01/x/doc\""]),
            ForgedJSON.change(["after": nil]),
        ]
        let record = try ContainerCoding.decodeRecord(ForgedJSON.record(kept))
        #expect(record.breaches == [])
        #expect(record.changes.count == kept.count)
    }

    @Test("S29: that an item was moved out, and not deleted, outlives the log and the journal")
    func movedOut() throws {
        let effect = Effect(
            verb: .remove, operation: OperationID(high: 1, low: 2), item: ItemID(high: 3, low: 4),
            before: Place(parent: .root, name: "doc", revision: Revision("1")),
            after: nil, kind: .file, path: "doc", isMovedOut: true)
        #expect(try EffectBody(effect).checked() == effect)
        var change = ChangeBody(
            Change(
                operation: effect.operation, item: effect.item, before: effect.before, after: nil,
                isMovedOut: true))
        #expect(try change.checked().isMovedOut)
        change.movedOut = nil
        #expect(try !change.checked().isMovedOut)
    }

    @Test("Of attributes those are taken that a file of Linux can have for its user")
    func attributeNames() throws {
        let names = [
            "user.kept", "user.", "user", "user.docfs.pin", "security.capability",
            "user.a\\u0000security.b", "trusted.x", "",
        ]
        let list = names.map { "\"\($0)\":\"AA==\"" }.joined(separator: ",")
        let change = ForgedJSON.change(["after": ForgedJSON.state(["xattrs": "{\(list)}"])])
        let record = try ContainerCoding.decodeRecord(ForgedJSON.record([change]))
        #expect(record.breaches == [])
        #expect(record.changes.first?.after?.metadata.attributes.map(\.name) == ["user.kept"])
    }

    @Test("A record has a thousand changes at most: those behind them are left out, and told of")
    func tooMany() throws {
        let changes = [String](
            repeating: ForgedJSON.change(), count: ContainerRules.mostChanges + 9)
        let record = try ContainerCoding.decodeRecord(ForgedJSON.record(changes))
        #expect(record.changes.count == ContainerRules.mostChanges)
        #expect(record.breaches.count == 1)
    }

    @Test("The time of a record is for people only: one that no calendar has is the nearest")
    func recordTime() throws {
        let record = try ContainerCoding.decodeRecord(
            ForgedJSON.record([], time: "-9223372036854775808"))
        #expect(record.time == Timestamp.secondsRange.lowerBound)
    }

    @Test(
        "What is no record of ours is damaged",
        arguments: [
            "", "{", "[]", "null", #"{"v":1,"device":"","name":"","time":0,"changes":[]}"#,
            String(repeating: "[", count: 100_000),
        ])
    func damaged(_ text: String) {
        #expect(throws: DocFSError.self) { try ContainerCoding.decodeRecord(Array(text.utf8)) }
    }

    @Test("A record in UTF-16 is none")
    func utf16() {
        let text = String(decoding: ForgedJSON.record([]), as: UTF8.self)
        let bytes = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(throws: DocFSError.self) { try ContainerCoding.decodeRecord(bytes) }
    }

    @Test("The words of what is damaged hold nothing of it")
    func words() throws {
        let name = "\\u001b]0;owned\\u0007\\nforged"
        let text =
            #"{"v":2,"device":"\#(ForgedJSON.device)","name":7,"\#(name)":1,"time":0,"changes":[]}"#
        do {
            _ = try ContainerCoding.decodeRecord(Array(text.utf8))
            Issue.record("it was taken")
        } catch {
            #expect(!error.sentence.contains("owned"))
            #expect(error.sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        }
    }

    @Test(
        "A floor that no log can have is damaged",
        arguments: [
            ("18446744073709551615", "18446744073709551615"), ("1", "9223372036854775808"),
            ("1", "9223372036854775807"), ("1", "10000000000000000"), ("9", "7"), ("-1", "7"),
        ])
    func floors(_ floor: String, _ record: String) {
        #expect(throws: DocFSError.self) {
            try ContainerCoding.decodeFloor(ForgedJSON.floor(floor, record, ".docfs/snapshots/7"))
        }
    }

    @Test(
        "A snapshot lies where snapshots lie",
        arguments: [
            "doc", ".docfs/snapshots", ".docfs/trash/2026-01-01", "..", ".docfs/snapshots/../log",
        ])
    func snapshotPlaces(_ directory: String) {
        #expect(throws: DocFSError.self) {
            try ContainerCoding.decodeFloor(ForgedJSON.floor("1", "7", directory))
        }
    }

    @Test("A floor up to the last record is taken")
    func lastFloor() throws {
        let last = "\(ContainerRules.lastRecord)"
        let floor = try ContainerCoding.decodeFloor(
            ForgedJSON.floor(last, last, ".docfs/snapshots/7"))
        #expect(floor.record == ContainerRules.lastRecord)
    }

    @Test(
        "A page of a snapshot with one thing that breaks a rule is damaged",
        arguments: ForgedJSON.brokenPages)
    func pages(_ page: [UInt8]) {
        #expect(throws: DocFSError.self) { try ContainerCoding.decodePage(page) }
    }

    @Test("A page of a snapshot that keeps the rules is taken")
    func page() throws {
        let page = try ContainerCoding.decodePage(
            ForgedJSON.page("versions", ForgedJSON.version(".docfs/versions/a/b")))
        #expect(page.versions.count == 1)
    }
}
