import Testing

@testable import DocFS

@Suite struct MountPointNameTests {
    // What `systemd-escape --path` printed for each.
    @Test(arguments: [
        ("/", "-"), ("/srv/alice/Documents", "srv-alice-Documents"),
        ("//srv///alice/", "srv-alice"), ("/mnt/my docs", "mnt-my\\x20docs"),
        ("/mnt/a-b", "mnt-a\\x2db"), ("/.hidden/x.y", "\\x2ehidden-x.y"),
        ("/mnt/ü", "mnt-\\xc3\\xbc"), ("/a:b/c_d", "a:b-c_d"),
    ])
    func aPathIsEscapedAsSystemdDoes(path: String, name: String) {
        #expect(MountPointName.escaped(path) == name)
    }
}
