internal import Synchronization

/// Every open `events`: the bulletin calls this object, which calls them.
final class EventReaders: Sendable {
    private let bulletin: Bulletin
    private let readers = Mutex<[ObjectIdentifier: EventReader]>([:])

    init(bulletin: Bulletin) {
        self.bulletin = bulletin
        bulletin.addListener { [weak self] in self?.eventsCame() }
    }

    func open(names: [Int64: String]) -> EventReader {
        bulletin.watch()
        let reader = EventReader(bulletin: bulletin, names: names)
        readers.withLock { $0[ObjectIdentifier(reader)] = reader }
        return reader
    }

    func close(_ reader: EventReader) {
        let wasOpen = readers.withLock { $0.removeValue(forKey: ObjectIdentifier(reader)) != nil }
        if wasOpen { bulletin.unwatch() }
    }

    private func eventsCame() {
        for reader in readers.withLock({ Array($0.values) }) { reader.eventsCame() }
    }
}
