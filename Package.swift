// swift-tools-version: 6.1
import PackageDescription

/// Every target is held to the same strict language rules.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "DocFS",
    products: [
        .executable(name: "docfs-mount", targets: ["docfs-mount"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: [
        .target(
            name: "CFuse",
            cSettings: [.define("_GNU_SOURCE"), .define("_FILE_OFFSET_BITS", to: "64")],
            linkerSettings: [.linkedLibrary("fuse3")]),
        .target(
            name: "DocFS",
            dependencies: [
                "CFuse",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
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
        .testTarget(name: "DocFSTests", dependencies: ["DocFS"], swiftSettings: strict),
    ]
)
