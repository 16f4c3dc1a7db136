/// The end of what a composer has put together.
extension Composer {
    /// How long engines may record what they have carried out, before their stores are closed.
    private static let farewell: UInt64 = 1_200_000_000

    /// Ends syncing within two seconds, whatever the stores do meanwhile: what is not recorded by
    /// then is found again at the next start, by the journal.
    static func stop(_ engines: [SyncEngine]) {
        let left = Monitor(engines.count)
        for engine in engines {
            Task {
                await engine.stop()
                left.withLock { $0 -= 1 }
            }
        }
        if left.wait(nanoseconds: farewell, until: { $0 == 0 ? true : nil }) != nil { return }
        for engine in engines {
            engine.container.store.close()
            Task { await engine.giveUpStore() }
        }
        _ = left.wait(nanoseconds: 500_000_000) { $0 == 0 ? true : nil }
    }
}
