import TestSupport

@testable import DocFS

/// The stores that must conform.
enum StoreKind: String, Sendable {
    case memory
    case folder
    /// A folder whose filesystem knows no flags of renameat2(2), as NFS and some FUSE ones.
    case folderWithoutFlags
    /// A folder whose filesystem keeps no extended attributes either.
    case folderWithoutAttributes
    /// A folder on a real FUSE filesystem, which knows no exchange and sends no events.
    case folderOnFuse
    /// A bucket of moto's, which honours conditions and checks no body.
    case moto
    /// A bucket of moto's that completes uploads under conditions, where every body goes in parts.
    case motoInParts
    /// A bucket of Ceph's gateway, which neither deletes nor copies under a condition.
    case rgw

    /// All that this computer can run.
    static let allCases: [StoreKind] =
        [.memory, .folder, .folderWithoutFlags, .folderWithoutAttributes]
        + (Machine.hasBindfs ? [.folderOnFuse] : []) + buckets
        + (Machine.motoAddress == nil ? [] : [.motoInParts])

    /// Those of S3 servers that were started for the tests (Tests/Servers).
    static let buckets: [StoreKind] =
        (Machine.motoAddress == nil ? [] : [.moto]) + (Machine.gatewayAddress == nil ? [] : [.rgw])

    /// Runs `body` on a fresh store and removes it.
    func with(_ body: (any StoreBench) async throws -> Void) async throws {
        let bench = try await make()
        defer { bench.end() }
        try await body(bench)
    }

    private func make() async throws -> any StoreBench {
        var most = FolderTraits()
        switch self {
        case .memory:
            return try await MemoryBench()
        case .folder:
            break
        case .folderWithoutFlags:
            most.renamesWithoutReplacing = false
            most.exchanges = false
        case .folderWithoutAttributes:
            most.attributes = false
        case .folderOnFuse:
            return try await FuseBench()
        case .moto:
            return try await S3Bench(endpoint: Machine.motoAddress!)
        case .motoInParts:
            return try await S3Bench(
                endpoint: Machine.motoAddress!, bucket: "parts-",
                limits: S3Limits(whole: 0, part: 5 << 20))
        case .rgw:
            return try await S3Bench(endpoint: Machine.gatewayAddress!)
        }
        return try await FolderBench(most: most)
    }
}
