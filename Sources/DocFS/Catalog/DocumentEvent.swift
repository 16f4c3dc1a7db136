/// Something happened to a document, for `.docfs/events`.
package struct DocumentEvent: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case downloaded
        case uploaded
        case arrived
        case changed
        case moved
        case deleted
        case conflict
        /// Another device has saved a version that waits for a program here to close the document.
        case outdated
        case resolved
        case savingError = "saving-error"
        case downloadError = "download-error"
        case online
        case offline
    }

    package var kind: Kind
    package var scope: Int64
    /// `nil` for events of a whole scope.
    package var item: ItemID?
    /// From the scope's root.
    package var path: ItemPath?
    package var time: Timestamp
    package var sentence: String?
    /// Who saved what it is about, where that is another device.
    package var saver: Saver?

    package init(
        kind: Kind, scope: Int64, item: ItemID?, path: ItemPath?, time: Timestamp,
        sentence: String? = nil, saver: Saver? = nil
    ) {
        self.kind = kind
        self.scope = scope
        self.item = item
        self.path = path
        self.time = time
        self.sentence = sentence
        self.saver = saver
    }
}
