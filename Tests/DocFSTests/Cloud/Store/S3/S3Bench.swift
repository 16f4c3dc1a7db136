import Foundation

@testable import DocFS

/// A bucket of its own on a real server.
final class S3Bench: StoreBench {
    let s3: S3Store
    let outside: S3Outside
    var store: any CloudStore { s3 }

    /// - Parameters:
    ///   - endpoint: `http://HOST:PORT`.
    ///   - prefix: below which the container lies.
    init(endpoint: String, prefix: String = "") async throws {
        outside = try S3Outside(endpoint: endpoint, prefix: prefix)
        try outside.makeBucket()
        s3 = try outside.store()
        try await s3.attach(create: true)
    }

    func another() async throws -> any CloudStore {
        let other = try outside.store()
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

    func staged() throws -> Int { try outside.keys(below: "\(s3.keys.prefix).docfs/tmp/").count }

    func end() { try? outside.removeAll() }
}
