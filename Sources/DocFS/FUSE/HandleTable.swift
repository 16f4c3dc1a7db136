internal import Synchronization

/// The objects behind the kernel's file handles, kept alive from open to release.
///
/// A handle is the object's address, so that using one costs no look-up; the lowest bit, which no
/// object's address has, marks those of `.docfs`. Safe to use from any thread.
final class HandleTable: Sendable {
    typealias Object = AnyObject & Sendable

    private let shards: InlineArray<16, Mutex<[UInt64: any Object]>>

    init() {
        shards = InlineArray { _ in Mutex([:]) }
    }

    /// Keeps `object` until its handle is removed.
    func add(_ object: any Object, isControl: Bool = false) -> UInt64 {
        let address = UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
        let handle = address | (isControl ? 1 : 0)
        shards[shard(handle)].withLock { $0[handle] = object }
        return handle
    }

    /// Lets go of the object behind `handle`.
    func remove(_ handle: UInt64) {
        let object = shards[shard(handle)].withLock { $0.removeValue(forKey: handle) }
        _ = object
    }

    /// Takes out everything that programs left open.
    func removeAll() -> [any Object] {
        var objects: [any Object] = []
        for index in 0..<shards.count {
            objects += shards[index].withLock { shard in
                defer { shard = [:] }
                return Array(shard.values)
            }
        }
        return objects
    }

    /// Whether `handle` belongs to `.docfs`.
    @inline(__always)
    static func isControl(_ handle: UInt64) -> Bool { handle & 1 != 0 }

    /// The object behind `handle`, of the type that it was added with.
    @inline(__always)
    static func object<Object: AnyObject>(_ handle: UInt64, as type: Object.Type) -> Object {
        let address = UnsafeRawPointer(bitPattern: UInt(handle & ~1))!
        return Unmanaged<Object>.fromOpaque(address).takeUnretainedValue()
    }

    /// The object of `.docfs` behind `handle`.
    static func control(_ handle: UInt64) -> any Object {
        // Both are one reference; Sendable leaves no trace in it.
        unsafeBitCast(object(handle, as: AnyObject.self), to: (any Object).self)
    }

    private func shard(_ handle: UInt64) -> Int { Int(handle >> 5 & 15) }
}
