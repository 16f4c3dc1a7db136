/// A move from `Local/` into a cloud scope that is under way (S24).
package struct ImportEntry: Hashable, Sendable {
    /// The row made for what moves; it has no parent yet.
    package var ino: Int64
    /// The directory that it goes to.
    package var parent: Int64
    package var name: Name
    /// Its name in Local's hidden folder.
    package var hidden: [UInt8]
    /// Where the document goes that has the name now; `nil` when it is replaced.
    package var exchange: DiskPlace?

    package init(
        ino: Int64, parent: Int64, name: Name, hidden: [UInt8], exchange: DiskPlace? = nil
    ) {
        self.ino = ino
        self.parent = parent
        self.name = name
        self.hidden = hidden
        self.exchange = exchange
    }

    init(row: Statement) {
        ino = row.int()
        parent = row.int()
        name = Name(row.bytes())
        hidden = row.bytes()
        let isExchange = row.int() != 0
        let place = DiskPlace(row: row)
        exchange = isExchange ? place : nil
    }
}
