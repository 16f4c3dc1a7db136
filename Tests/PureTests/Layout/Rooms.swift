/// The rooms of Sources/DocFS, lowest first: Documentation.docc/Architecture.md as data.
enum Rooms {
    static let all: [Room] = [
        Room(
            folder: "Model",
            purpose: "values that every room shares",
            views: [],
            imports: [],
            bannedWords: clocks),
        Room(
            folder: "Posix",
            purpose: "system calls with typed errors, no policy",
            views: [.all("Model")],
            imports: ["CCrypto", "CFuse", "Glibc", "Synchronization"],
            mayNameErrno: true,
            mayCallC: true),
        Room(
            folder: "Cloud/Store",
            purpose: "the primitive object protocol",
            views: [.all("Model")],
            imports: ["Synchronization"]),
        Room(
            folder: "Cloud/Store/Memory",
            purpose: "the store in memory, for tests",
            views: [.all("Model"), .only("Posix", ["SHA256"]), .all("Cloud/Store")],
            imports: ["Synchronization"]),
        Room(
            folder: "Cloud/Store/Folder",
            purpose: "the store in a directory",
            views: [.all("Model"), .all("Posix"), .all("Cloud/Store")],
            imports: ["Glibc", "Logging", "Synchronization"]),
        Room(
            folder: "Cloud/Store/HTTP",
            purpose: "requests and answers, streamed both ways",
            views: [
                .all("Model"), .only("Posix", ["OwnThread", "Posix", "SHA256", "ThreadTurn"]),
                .all("Cloud/Store"),
            ],
            imports: ["CCurl", "Synchronization"]),
        Room(
            folder: "Cloud/Store/S3",
            purpose: "the store in a bucket",
            views: [
                .all("Model"), .only("Posix", ["Posix", "SHA256"]), .all("Cloud/Store"),
                .all("Cloud/Store/HTTP"),
            ],
            imports: ["CExpat", "FoundationEssentials", "Synchronization"]),
        Room(
            folder: "Cloud/Container",
            purpose: "documents, change log, trash and versions on any store",
            views: [.all("Model"), .only("Posix", ["SHA256"]), .all("Cloud/Store")],
            imports: ["FoundationEssentials", "Logging", "Synchronization"]),
        Room(
            folder: "Cloud/Private",
            purpose: "places that may only be read, and are no containers",
            views: [
                .all("Model"), .only("Posix", ["Posix"]), .all("Cloud/Store"),
                .only("Cloud/Store/Folder", ["FolderStore"]),
                .only("Cloud/Container", ["ContainerLayout", "ContainerRules", "PrivateLog"]),
            ],
            imports: ["FoundationEssentials", "Glibc", "Synchronization"]),
        Room(
            folder: "Catalog",
            purpose: "what this device knows",
            views: [.all("Model"), .all("Posix")],
            imports: ["CSQLite", "Glibc", "Logging", "Synchronization"]),
        Room(
            folder: "Sync/Planning",
            purpose: "pure decisions over three trees",
            views: [.all("Model")],
            imports: [],
            bannedWords: clocks.merging(concurrency) { first, _ in first }),
        Room(
            folder: "Sync",
            purpose: "journal, scheduling, retry, applying plans",
            views: [
                .all("Model"),
                .only(
                    "Posix", ["CrashPoint", "OwnThread", "SHA256", "Wakeup", "WorkPool"]),
                .all("Cloud/Store"), .all("Cloud/Container"), .all("Catalog"),
                .all("Sync/Planning"),
            ],
            imports: ["Logging", "Synchronization"]),
        Room(
            folder: "Content",
            purpose: "bytes on this device",
            views: [
                .all("Model"), .all("Posix"), .all("Catalog"),
                .only("Cloud/Store", ["ByteSink", "ByteSource"]),
                // What Sync asks of contents, and what it gives them.
                .only(
                    "Sync",
                    [
                        "ContentSource", "LocalNotice", "Replica", "Snapshot", "Successor",
                        "SyncClock", "WriterState",
                    ]),
            ],
            imports: ["CFuse", "Glibc", "Logging", "Synchronization"]),
        Room(
            folder: "Scopes",
            purpose: "lookup, listing and changes in Local and in cloud scopes",
            views: [
                .all("Model"), .all("Posix"), .all("Catalog"), .all("Content"),
                // Whether a new name is scratch is decided when it is made (S15), and what a save
                // was made from when it begins (S14a); and where a conflict version belongs (S24).
                .only(
                    "Sync/Planning", ["ConflictPlacement", "SaveBase", "Scratch", "SiblingName"]),
                .only("Sync", ["SyncClock"]),
            ],
            imports: ["CFuse", "Glibc", "Logging", "Synchronization"]),
        Room(
            folder: "Control",
            purpose: ".docfs, attributes and events",
            views: [.all("Model"), .all("Catalog"), .all("Scopes")],
            imports: ["Logging", "Synchronization"]),
        Room(
            folder: "FUSE",
            purpose: "the kernel's protocol",
            views: [.all("Model"), .all("Posix"), .all("Scopes"), .all("Control")],
            imports: ["CFuse", "Glibc", "Logging", "Synchronization"],
            mayNameErrno: true,
            mayCallC: true),
        Room(
            folder: "Mount",
            purpose: "configuration and wiring",
            views: [
                "Model", "Posix", "Cloud/Store", "Cloud/Store/Memory", "Cloud/Store/Folder",
                "Cloud/Store/HTTP", "Cloud/Store/S3", "Cloud/Container", "Cloud/Private", "Catalog",
                "Sync/Planning", "Sync", "Content", "Scopes", "Control", "FUSE",
            ].map(Room.View.all),
            imports: ["CFuse", "Glibc", "Logging", "Synchronization", "TOMLKit"],
            fileLimit: 250),
    ]

    private static let clocks = [
        "Date": "it must give the same answer at any time",
        "ContinuousClock": "it must give the same answer at any time",
        "SuspendingClock": "it must give the same answer at any time",
        "clock_gettime": "it must give the same answer at any time",
    ]

    private static let concurrency = [
        "async": "a decision waits for nothing",
        "await": "a decision waits for nothing",
        "Task": "a decision starts nothing",
        "actor": "a decision keeps nothing",
        "random": "the same trees must give the same plan",
        "SystemRandomNumberGenerator": "the same trees must give the same plan",
    ]

    /// The room of a file, by its path below Sources/DocFS.
    static func room(of path: String) -> Room? {
        all.filter { path.hasPrefix($0.folder + "/") }
            .max { $0.folder.utf8.count < $1.folder.utf8.count }
    }
}
