import Testing

@testable import DocFS

@Suite struct MountConfigurationTests {
    private let surroundings = Surroundings(
        variables: ["HOME": "/alice"], workingDirectory: "/here", home: "/nowhere",
        hostName: "laptop")

    private func configuration(_ settings: MountSettings = MountSettings(), at point: String = "m")
        throws -> MountConfiguration
    {
        try MountConfiguration(mountPoint: point, settings: settings, surroundings: surroundings)
    }

    @Test func withNothingSaidTheDefaultsHold() throws {
        let result = try configuration()
        #expect(result.mountPoint == "/here/m")
        #expect(result.local == "/alice/.local/share/docfs/Local")
        #expect(
            result.containers == [
                ContainerAddress(name: "Cloud", folder: "/alice/.local/share/docfs/Cloud")
            ])
        #expect(result.state == "/alice/.local/state/docfs/here-m")
        #expect(result.device == "laptop")
        #expect(result.settle == .seconds(1) && result.poll == .seconds(5))
        #expect(result.farewell == .seconds(5))
        #expect(result.deadline == .seconds(30) && result.cacheLimit == 10 << 30)
        #expect(!result.allowsOthers && !result.isReadOnly && !result.isDaemon)
        #expect(result.logFile == nil)
        #expect("\(result.logLevel)" == "info")
    }

    @Test func theEnvironmentMovesTheDefaults() throws {
        var surroundings = surroundings
        surroundings.variables = [
            "XDG_DATA_HOME": "/data", "XDG_STATE_HOME": "relative/is/ignored",
        ]
        let result = try MountConfiguration(
            mountPoint: "/m", settings: MountSettings(), surroundings: surroundings)
        #expect(result.local == "/data/docfs/Local")
        #expect(result.state == "/nowhere/.local/state/docfs/m")
    }

    @Test func theCommandLineGoesBeforeTheFile() throws {
        var line = MountSettings()
        try line.set(.settle, "0.25")
        let file = try ConfigurationFile.settings(
            text: "settle = 9\npoll = 2.5\n", path: "config.toml")
        let result = try configuration(line.over(file))
        #expect(result.settle == .milliseconds(250))
        #expect(result.poll == .milliseconds(2500))
        #expect(result.deadline == .seconds(30))
    }

    @Test func aDaemonLogsIntoItsStateDirectory() throws {
        var settings = MountSettings()
        try settings.set(.daemon, "true")
        try settings.set(.state, "/s")
        #expect(try configuration(settings).logFile == "/s/log")
        try settings.set(.logFile, "here.log")
        #expect(try configuration(settings).logFile == "/here/here.log")
    }

    @Test func pathsAreResolvedFromHomeAndWorkingDirectory() {
        #expect(surroundings.absolute("~/x") == "/alice/x")
        #expect(surroundings.absolute("~") == "/alice")
        #expect(surroundings.absolute("./a//b/") == "/here/a/b")
        #expect(surroundings.absolute("/") == "/")
    }

    @Test func aMountCannotServeWhatLiesBelowItself() throws {
        var settings = MountSettings()
        try settings.set(.local, "/here/m/Local")
        #expect(throws: ConfigurationError.self) { try configuration(settings) }
        try settings.set(.local, "/here")
        #expect(throws: ConfigurationError.self) { try configuration(settings) }
        try settings.set(.local, "/here/mm")
        #expect(throws: Never.self) { try configuration(settings) }
    }

    @Test func twoContainersOfOneNameAreRefused() throws {
        var settings = MountSettings()
        try settings.set(.cloud, "A=file:///a")
        try settings.set(.cloud, "A=file:///b")
        #expect(throws: ConfigurationError.self) { try configuration(settings) }
    }

    // MARK: Values

    @Test(arguments: [
        ("10G", UInt64(10 << 30)), ("1.5M", 3 << 19), ("4096", 4096), ("0", 0), ("2k", 2048),
        ("1T", 1 << 40),
    ])
    func aSizeIsRead(text: String, bytes: UInt64) throws {
        #expect(try ValueText.size(text, "cache-limit") == bytes)
    }

    @Test(arguments: ["", "G", "10X", "-1", "1e3", "nan", "0x10", "1.2.3", "99999999T", "10 G"])
    func aSizeThatIsNoneIsRefused(text: String) {
        #expect(throws: ConfigurationError.self) { try ValueText.size(text, "cache-limit") }
    }

    @Test(arguments: ["", "-1", "1s", "inf", "1e3", ".", "10000000"])
    func secondsThatAreNoneAreRefused(text: String) {
        #expect(throws: ConfigurationError.self) { try ValueText.seconds(text, "settle") }
    }

    @Test(arguments: [MountSettings.Key.poll, .deadline])
    func waitingForNoTimeAtAllIsRefused(key: MountSettings.Key) throws {
        var settings = MountSettings()
        try settings.set(key, "0")
        #expect(throws: ConfigurationError.self) { try configuration(settings) }
    }

    @Test(arguments: ["", "a/b", "new\nline", String(repeating: "x", count: 65)])
    func aDeviceNameThatCannotStandInAFileNameIsRefused(text: String) {
        var settings = MountSettings()
        #expect(throws: ConfigurationError.self) { try settings.set(.device, text) }
    }

    // MARK: Containers

    @Test func addressesAreRead() throws {
        #expect(
            try ContainerAddress(text: "file:///srv/a%20b")
                == ContainerAddress(name: "Cloud", folder: "/srv/a b"))
        #expect(
            try ContainerAddress(text: "Work=file:///srv/x=y")
                == ContainerAddress(name: "Work", folder: "/srv/x=y"))
        #expect(
            try ContainerAddress(text: "file:///srv/x=y")
                == ContainerAddress(name: "Cloud", folder: "/srv/x=y"))
    }

    @Test func aBucketIsAnAddress() throws {
        let address = try ContainerAddress(text: "Work=s3://bucket/a/b?region=eu-west-1")
        #expect(address.name == "Work")
        #expect(address.folder == nil)
        guard case .s3(let place) = address.place else { throw ConfigurationError("no bucket") }
        #expect(place.prefix == "a/b/" && place.region == "eu-west-1")
    }

    @Test func documentsTravelUnencryptedOnlyWhenTold() throws {
        var settings = MountSettings()
        try settings.set(.cloud, "s3://bucket?endpoint=http://store.example&credentials=keys")
        #expect(
            throws: ConfigurationError(
                "http://store.example is not encrypted: https:// is, and --allow-plain-http "
                    + "goes without")
        ) { try configuration(settings) }
        settings.allowsPlainHTTP = true
        guard case .s3(let address) = try configuration(settings).containers[0].place else {
            throw ConfigurationError("no bucket")
        }
        #expect(address.credentialsFile == "/here/keys")
        settings.containers = nil
        settings.allowsPlainHTTP = nil
        try settings.set(.cloud, "s3://bucket?endpoint=http://127.0.0.1:7480")
        _ = try configuration(settings)
    }

    @Test(arguments: [
        "Local=file:///x", ".docfs=file:///x", "a/b=file:///x", "=file:///x", "..=file:///x",
        "file://host/x", "file:x", "/plain/path", "Work=", "file:///a%2", "file:///a%00b",
    ])
    func badAddressesAreRefused(text: String) {
        #expect(throws: ConfigurationError.self) { try ContainerAddress(text: text) }
    }

    @Test func aSchemeThatIsNotOfferedIsNamedWithWhatIs() {
        #expect(
            throws: ConfigurationError(
                "'davs://' is not offered by this version: "
                    + "file:///DIR and s3://BUCKET/PREFIX are")
        ) { try ContainerAddress(text: "davs://host/path") }
    }
}
