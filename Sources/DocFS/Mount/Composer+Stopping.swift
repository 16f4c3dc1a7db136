internal import Logging

/// Sleep and end of what a composer has put together.
extension Composer {
    /// Sleep and shutdown of the computer do not come as a surprise (S7, S12).
    func followPower(_ contents: Contents, _ farewell: @escaping @Sendable () -> Void) {
        PowerWatch.start { change in
            contents.setAsleep(change == .sleeps)
            if change != .wakes { farewell() }
        } ended: { [log] reason in
            log.debug("sleep is not watched: \(reason.sentence)")
            // The bus may have ended while the computer slept: nobody tells of the end of that.
            contents.setAsleep(false)
        }
    }

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

    /// Brings to the disk what is not there yet, and closes the catalog.
    ///
    /// Where that fails the next start takes it for a loss of power if the system was started anew
    /// (S13), and looks through the catalog.
    static func leave(_ contents: Contents, _ catalog: Catalog, _ log: Logger) {
        do throws(DocFSError) {
            try contents.leave()
        } catch {
            log.error(
                "not every edit could be brought to the disk before the end: \(error.sentence)")
        }
        do throws(DocFSError) {
            try catalog.leave()
        } catch {
            log.error("the catalog could not be brought to the disk: \(error.sentence)")
        }
    }
}
