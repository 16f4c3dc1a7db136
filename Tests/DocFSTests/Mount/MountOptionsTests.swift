import Testing

@testable import DocFS

@Suite struct MountOptionsTests {
    private func settings(_ text: String) throws -> MountSettings {
        var settings = MountSettings()
        try MountOptions.read(text, into: &settings)
        return settings
    }

    @Test func optionsOfFstabAreRead() throws {
        let result = try settings(
            "rw,noauto,user,_netdev,nofail,x-systemd.automount,allow_other,settle=2,read-only")
        #expect(result.allowsOthers == true && result.isReadOnly == true)
        #expect(result.settle == .seconds(2))
        #expect(try settings("ro").isReadOnly == true)
    }

    @Test func aCommaInAValueIsEscaped() throws {
        let result = try settings("local=/a\\,b,device=x\\\\y\\z")
        #expect(result.local == "/a,b")
        #expect(result.device == "x\\y\\z")
    }

    @Test func aContainersAddressKeepsItsEqualsSign() throws {
        #expect(
            try settings("cloud=Work=file:///srv/w").containers
                == [ContainerAddress(name: "Work", folder: "/srv/w")])
    }

    @Test(arguments: ["bogus", "bogus=1", "settle", "allow_other=1", "settle=x"])
    func anUnknownOptionIsRefused(text: String) {
        #expect(throws: ConfigurationError.self) { try settings(text) }
    }
}
