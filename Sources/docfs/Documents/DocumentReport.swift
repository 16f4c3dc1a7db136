internal import Glibc

/// The state of one item, all of it: what `docfs status PATH` and `docfs find --json` tell.
struct DocumentReport: Encodable {
    /// Of paths: as `.docfs` writes them.
    var path: String
    var scope: String?
    var type: String
    /// Bytes.
    var size: UInt64
    /// ISO 8601, UTC.
    var modified: String
    var id: String?
    var download: String?
    var downloadPercent: Int?
    var isDownloading: Bool?
    var upload: String?
    var state: [String]?
    var conflicts: Int?
    /// The key of `[types]`; empty where it is of none.
    var documentType: String?
    var pin: String?
    var error: String?

    /// - Parameter name: the path as the report is to tell it.
    init(_ path: String, as name: String) throws {
        let status = try Files.status(of: path)
        self.path = name
        type = status.isDirectory ? "directory" : status.isFile ? "file" : "link"
        if status.st_mode & S_IFMT != S_IFLNK, !status.isDirectory, !status.isFile {
            type = "special"
        }
        size = status.isDirectory ? 0 : status.size
        modified = status.modified.isoText
        scope = try Files.attribute("user.docfs.scope", of: path) ?? ""
        if scope == "", !status.isFile, !status.isDirectory { try askForSpecial(path) }
        if !status.isFile, !status.isDirectory { return }
        if scope == "Local" || scope == "" { return }
        let document = Document(path: path)
        id = try document.identity()
        download = try document.download().rawValue
        downloadPercent = try document.percent()
        // Older daemons do not tell.
        isDownloading = try Files.attribute("user.docfs.downloading", of: path).map { $0 == "true" }
        upload = try document.upload().rawValue
        state = try document.states()
        conflicts = try document.conflicts()
        // Older daemons know of none.
        documentType = try Files.attribute("user.docfs.type", of: path)
        pin = try document.pin()
        error = try document.error()
    }

    /// Links and special files have no attributes of a user's: the mount's listing has their state.
    private mutating func askForSpecial(_ path: String) throws {
        let place = try Place(path)
        scope = place.scope
        guard scope != "Local", let told = try CatalogListing.report(of: place) else { return }
        (id, download, downloadPercent) = (told.id, told.download, told.downloadPercent)
        (isDownloading, upload) = (told.isDownloading, told.upload)
        (state, conflicts) = (told.state, told.conflicts)
        (pin, error) = (told.pin, told.error)
    }

    /// What stands before the name in a line for people: where the bytes are, and on which side.
    var words: [String] {
        guard let download, let upload else {
            return scope == "Local" || scope == "" ? ["on this computer", ""] : ["", "not told"]
        }
        return [hereWords(download), Self.sentWords[upload] ?? upload]
    }

    private func hereWords(_ download: String) -> String {
        if type != "file" { return "" }
        switch download {
        case "current": return "here"
        case "partial": return "\(downloadPercent ?? 0) % here"
        default: return "not here"
        }
    }

    private static let sentWords = [
        "uploaded": "stored", "waiting": "waiting", "uploading": "sending", "error": "failed",
        "excluded": "this device only",
    ]

    /// What stands behind the name.
    var remarks: [String] {
        var remarks: [String] = []
        if let conflicts, conflicts > 0 {
            remarks.append(conflicts == 1 ? "1 conflict version" : "\(conflicts) conflict versions")
        }
        if state?.contains("outdated") == true {
            let isClosed = state?.contains("closed") == true
            remarks.append(
                isClosed
                    ? "a newer version is on its way"
                    : "a newer version is on its way, or shown when it is closed")
        }
        if pin == "pinned" { remarks.append("pinned") }
        if let error, !error.isEmpty { remarks.append(error) }
        return remarks
    }
}
