@testable import DocFS

struct MemoryBench: StoreBench {
    let memory: MemoryStore
    var store: any CloudStore { memory }

    init(capabilities: StoreCapabilities = .whole, capacity: UInt64? = nil) async throws {
        memory = MemoryStore(
            capabilities: capabilities, capacity: capacity, clock: { SystemClock().wallTime() })
        try await memory.attach(create: true)
    }

    func another() async throws -> any CloudStore { memory }

    func writeFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws {
        try memory.writeFromOutside(path, bytes)
    }

    func renameFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws {
        try memory.writeFromOutside(path, bytes)
    }

    func hide() throws { memory.setReachable(false) }
    func show() throws { memory.setReachable(true) }
    func staged() throws -> Int { 0 }
    func end() {}
}
