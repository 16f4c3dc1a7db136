// swift-tools-version: 6.2
import PackageDescription

let warningsAreErrors = Context.environment["DOCFS_WARNINGS"] == "error"

/// Every target is held to the same strict language rules.
///
/// There is one build: `-c release`, testable, so that programs and tests share every object and
/// the dependencies compile once. `swift test` must be given `--skip-build` after
/// `swift build -c release --build-tests` (scripts/test does), because on its own it would compile
/// the dependencies again with flags of its own.
///
/// CI sets `DOCFS_WARNINGS=error`. The setting reaches our targets only, never the dependencies.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .unsafeFlags(["-enable-testing"], .when(configuration: .release)),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

/// The same for the C target.
let strictC: [CSetting] = warningsAreErrors ? [.treatAllWarnings(as: .error)] : []

let package = Package(
    name: "DocFS",
    products: [
        .executable(name: "docfs-mount", targets: ["docfs-mount"]),
        .executable(name: "docfs", targets: ["docfs"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .target(
            name: "CFuse",
            cSettings: [.define("_GNU_SOURCE"), .define("_FILE_OFFSET_BITS", to: "64")] + strictC,
            linkerSettings: [.linkedLibrary("fuse3"), .linkedLibrary("systemd")]),
        .target(
            name: "DocFS",
            dependencies: [
                "CFuse",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "TOMLKit", package: "TOMLKit"),
            ],
            resources: [.embedInCode("Catalog/Schema/v1.sql")],
            swiftSettings: strict),
        .executableTarget(
            name: "docfs-mount",
            dependencies: [
                "DocFS",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // Speaks to the daemon only through the mount, so it needs nothing of the library.
        .target(
            name: "CControl",
            cSettings: [.define("_GNU_SOURCE"), .define("_FILE_OFFSET_BITS", to: "64")] + strictC,
            linkerSettings: [.linkedLibrary("git2")]),
        .executableTarget(
            name: "docfs",
            dependencies: [
                "CControl",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // What the tests and the simulation share.
        .target(
            name: "TestSupport",
            dependencies: ["DocFS", .product(name: "Crypto", package: "swift-crypto")],
            path: "Tests/Support",
            swiftSettings: strict),
        .target(name: "SimulatedDisk", path: "Tests/SimulatedDisk", cSettings: strictC),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "DocFS",
                "SimulatedDisk",
                "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Simulation",
            swiftSettings: strict),
        .testTarget(
            name: "DocFSTests",
            dependencies: [
                "DocFS",
                "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
    ]
)
