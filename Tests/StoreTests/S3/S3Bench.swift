import Foundation

@testable import DocFS

/// A bucket of its own on a real server.
final class S3Bench: StoreBench {
    let s3: S3Store
    let outside: S3Outside
    private let limits: S3Limits
    /// Uploads whose beginning was answered too late, when the store was probed.
    private let unanswered: Int
    var store: any CloudStore { s3 }
    private static let turns = Turns(12)

    /// - Parameters:
    ///   - endpoint: `http://HOST:PORT`.
    ///   - prefix: below which the container lies.
    ///   - bucket: what the bucket's name begins with.
    init(
        endpoint: String, prefix: String = "", bucket: String = "docfs-",
        limits: S3Limits = S3Limits()
    ) async throws {
        outside = try S3Outside(endpoint: endpoint, prefix: prefix, bucket: bucket)
        self.limits = limits
        await Self.turns.take()
        do {
            try outside.makeBucket()
            s3 = try outside.store(limits: limits)
            try await s3.attach(create: true)
            unanswered = try outside.uploads().count
        } catch {
            Self.turns.giveBack()
            throw error
        }
    }

    func another() async throws -> any CloudStore {
        let other = try outside.store(limits: limits)
        try await other.attach(create: false)
        return other
    }

    func writeFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws {
        try outside.put(s3.keys.key(path), bytes)
    }

    func fillFromOutside(_ directory: ItemPath) throws -> [String] {
        let names = (0..<1100).map { "\($0)" }
        try outside.put(try names.map { try s3.keys.key(directory.appending(Name($0))) })
        return names
    }

    func renameFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws {
        try writeFromOutside(path, bytes)
    }

    /// The bucket is deleted, and made anew with what it had.
    func hide() throws { try outside.takeAway() }
    func show() throws { try outside.bringBack() }

    func staged() throws -> Int {
        try ["tmp/", "uploads/"]
            .map { try outside.keys(below: "\(s3.keys.prefix).docfs/\($0)").count }
            .reduce(0, +) + outside.uploads().count - unanswered
    }

    func end() {
        try? outside.removeAll()
        Self.turns.giveBack()
    }
}
