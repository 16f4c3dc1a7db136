/// What somebody may write into a container's files who keeps no rule.
enum ForgedJSON {
    static let root = String(repeating: "0", count: 32)
    static let item = String(repeating: "a", count: 32)
    static let device = String(repeating: "d", count: 32)

    /// The state of a document, with some keys changed; `nil` removes one.
    static func state(_ changes: [String: String?] = [:]) -> String {
        var keys = [
            "parent": "\"\(root)\"", "name": "\"doc\"", "kind": "\"file\"", "mode": "420",
            "mtime": "[1,2]", "size": "3", "rev": "\"r\"",
        ]
        for (key, value) in changes { keys[key] = value }
        return "{"
            + keys.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
            .joined(separator: ",") + "}"
    }

    static func change(_ changes: [String: String?] = [:]) -> String {
        var keys = ["op": "\"\(item)\"", "item": "\"\(item)\"", "after": state()]
        for (key, value) in changes { keys[key] = value }
        return "{"
            + keys.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
            .joined(separator: ",") + "}"
    }

    static func record(_ changes: [String], time: String = "7") -> [UInt8] {
        let list = changes.joined(separator: ",")
        return Array(
            #"{"v":2,"device":"\#(device)","name":"eve","time":\#(time),"changes":[\#(list)]}"#.utf8
        )
    }

    /// Changes that no device takes, each by one thing that is wrong with it.
    static let refused: [(String, String)] = [
        (
            "another container's directory",
            change(["after": state(["parent": "\"\(device)\"", "name": "\".docfs\""])])
        ),
        (
            "an object in it", change(["object": "\"d/.docfs/doc\""])
        ),
        ("size 2^63", change(["after": state(["size": "9223372036854775808"])])),
        ("size 2^64 - 1", change(["after": state(["size": "18446744073709551615"])])),
        ("size beyond 2^64", change(["after": state(["size": "18446744073709551616"])])),
        ("size of a fraction", change(["after": state(["size": "1.5"])])),
        ("negative size", change(["after": state(["size": "-1"])])),
        ("no size", change(["after": state(["size": nil])])),
        ("least time", change(["after": state(["mtime": "[-9223372036854775808,0]"])])),
        ("greatest time", change(["after": state(["mtime": "[9223372036854775807,0]"])])),
        ("time before the year 1", change(["after": state(["mtime": "[-62135596801,0]"])])),
        ("time after the year 9999", change(["after": state(["mtime": "[253402300800,0]"])])),
        ("nanoseconds", change(["after": state(["mtime": "[1,1000000000]"])])),
        ("half a time", change(["after": state(["mtime": "[1]"])])),
        ("the root as an item", change(["item": "\"\(root)\""])),
        ("an item in itself", change(["after": state(["parent": "\"\(item)\""])])),
        ("a version of itself", change(["after": state(["conflictOf": "\"\(item)\""])])),
        ("a version of the root", change(["after": state(["conflictOf": "\"\(root)\""])])),
        ("the container's own name", change(["after": state(["name": "\".docfs\""])])),
        ("the same, escaped", change(["after": state(["name": "\"%2Edocfs\""])])),
        ("dot dot", change(["after": state(["name": "\"..\""])])),
        ("a slash", change(["after": state(["name": "\"a%2Fb\""])])),
        ("NUL", change(["after": state(["name": "\"%00\""])])),
        ("an unknown kind", change(["after": state(["kind": "\"fifo\""])])),
        ("a digest that is none", change(["after": state(["sha256": "\"abc\""])])),
        ("a body kept among documents", change(["kept": "\"doc\""])),
        ("a body kept in the log", change(["kept": "\".docfs/log/0000000000000001.json\""])),
        ("an object in the container's own", change(["object": "\".docfs/container.json\""])),
        ("an object at the root", change(["object": "\"\""])),
        (
            "a target with NUL",
            change(["after": state(["kind": "\"symlink\"", "target": "\"AA==\""])])
        ),
        (
            "a long revision",
            change(["after": state(["rev": "\"\(String(repeating: "r", count: 1025))\""])])
        ),
        ("no object at all", "7"),
        ("a list", "[]"),
        ("nothing known", "{}"),
        ("a number for a name", change(["after": state(["name": "7"])])),
    ]

    private static let digest = String(repeating: "0", count: 64)

    static func floor(_ floor: String, _ record: String, _ directory: String) -> [UInt8] {
        Array(
            #"{"v":2,"floor":\#(floor),"record":\#(record),"digest":"\#(digest)","#.utf8)
            + Array(#""directory":"\#(directory)","pages":[]}"#.utf8)
    }

    /// A page of a snapshot with one entry of one kind.
    static func page(_ kind: String, _ entry: String) -> [UInt8] {
        let lists = ["items", "versions", "trash", "leftovers"].map { name in
            "\"\(name)\":[\(name == kind ? entry : "")]"
        }
        return Array("{\"v\":2,\(lists.joined(separator: ","))}".utf8)
    }

    static func version(_ path: String, size: String = "1") -> String {
        #"{"item":"\#(item)","rev":"r","path":"\#(path)","size":\#(size),"mtime":[1,2],"#
            + #""device":"d","time":1}"#
    }

    static let brokenPages = [
        page("items", #"{"item":"\#(root)","state":\#(state())}"#),
        page(
            "items",
            #"{"item":"\#(item)","state":\#(state(["size": "9223372036854775808"]))}"#),
        page("versions", version(".docfs/versions/a/b", size: "9223372036854775808")),
        page("versions", version("doc")),
        page("leftovers", #"{"path":".docfs/container.json"}"#),
        page("trash", "{}"),
    ]
}
