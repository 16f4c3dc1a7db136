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

/// The same for the C targets.
let strictC: [CSetting] = warningsAreErrors ? [.treatAllWarnings(as: .error)] : []

/// The programs carry what they use of Swift's libraries, and run where no Swift is installed.
///
/// Nobody links with a program: what it would export for others, Swift's own setting for static
/// linking, only keeps dead code alive. Equal functions become one where nobody can tell.
/// Foundation's own parts are named because what imports it was compiled for its shared library.
func swiftInside(_ parts: [String]) -> [LinkerSetting] {
    let parts = parts + ["_FoundationCShims", "_FoundationCollections"]
    let lean = ["--gc-sections", "--no-export-dynamic", "--icf=safe"]
    return [
        .unsafeFlags(
            ["-static-stdlib"] + lean.flatMap { ["-Xlinker", $0] } + parts.map { "-l\($0)" })
    ]
}

/// Versions are exact, because no Package.resolved is committed.
///
/// What the operating system has, HTTP and TLS, hashes, SQLite and XML, is taken from it: see
/// LeanDependencies in the documentation.
let package = Package(
    name: "DocFS",
    products: [
        .executable(name: "docfs-mount", targets: ["docfs-mount"]),
        .executable(name: "docfs", targets: ["docfs"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/LebJe/TOMLKit", exact: "0.6.0"),
    ],
    targets: [
        .target(
            name: "CFuse",
            cSettings: [.define("_GNU_SOURCE"), .define("_FILE_OFFSET_BITS", to: "64")] + strictC,
            linkerSettings: [.linkedLibrary("fuse3"), .linkedLibrary("systemd")]),
        .target(
            name: "CCurl", cSettings: strictC,
            linkerSettings: [
                .linkedLibrary("curl"), .linkedLibrary("ssl"), .linkedLibrary("crypto"),
            ]),
        .systemLibrary(name: "CCrypto"),
        .systemLibrary(name: "CExpat"),
        .systemLibrary(name: "CSQLite"),
        .target(
            name: "DocFS",
            dependencies: [
                "CCrypto", "CCurl", "CExpat", "CFuse", "CSQLite",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "TOMLKit", package: "TOMLKit"),
            ],
            resources: [
                .embedInCode("Catalog/Schema/v1.sql"), .embedInCode("Catalog/Schema/v2.sql"),
                .embedInCode("Catalog/Schema/v3.sql"),
                .embedInCode("Catalog/Schema/v4.sql"), .embedInCode("Catalog/Schema/v5.sql"),
                .embedInCode("Catalog/Schema/v6.sql"),
                .embedInCode("Catalog/Schema/v7.sql"),
                .embedInCode("Catalog/Schema/v8.sql"),
                .embedInCode("Catalog/Schema/v9.sql"),
                .embedInCode("Catalog/Schema/v10.sql"),
                .embedInCode("Catalog/Schema/v11.sql"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "docfs-mount",
            dependencies: [
                "DocFS",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict,
            // TOMLKit names a few types of the larger Foundation.
            linkerSettings: swiftInside([
                "Foundation", "CoreFoundation", "FoundationInternationalization", "_FoundationICU",
            ])),
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
            swiftSettings: strict,
            linkerSettings: swiftInside([])),
        // What the tests and the simulation share.
        .target(
            name: "TestSupport",
            dependencies: ["DocFS"],
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
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Simulation",
            swiftSettings: strict),
        // Tests that do nothing but compute: decisions by the ten thousand, the text of Sources.
        .testTarget(
            name: "PureTests",
            dependencies: ["DocFS", "TestSupport"],
            swiftSettings: strict),
        // The others wait for what they test, which is optimised; to optimise them too would take
        // half of the build. Two targets, because one compiler takes one processor for each.
        .testTarget(
            name: "StoreTests",
            dependencies: ["CCrypto", "CCurl", "DocFS", "TestSupport"],
            swiftSettings: strict + [.unsafeFlags(["-Onone"])]),
        .testTarget(
            name: "DocFSTests",
            dependencies: ["DocFS", "TestSupport"],
            swiftSettings: strict + [.unsafeFlags(["-Onone"])]),
    ]
)
