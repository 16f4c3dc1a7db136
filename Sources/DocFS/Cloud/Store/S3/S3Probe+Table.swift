extension S3Probe {
    /// One line of the table: what is asked for, whether the store does it, what follows.
    private struct Row {
        let what: String
        let isDone: Bool
        let meaning: String
    }

    private var rows: [Row] {
        [
            Row(
                what: "create only where nothing is", isDone: createsIfAbsent,
                meaning: createsIfAbsent
                    ? "two devices never write one name unseen"
                    : "looked at before, which leaves a moment for another device"),
            Row(
                what: "one winner among eight at once", isDone: winnersOfEight == 1,
                meaning: winnersOfEight == 1
                    ? "the change log has one order"
                    : "\(winnersOfEight) were told that they won: not a store to share"),
            Row(
                what: "replace only one revision", isDone: replaces != nil,
                meaning: replaces.map { "an edit never overwrites an unseen one (\($0) ETag)" }
                    ?? "looked at before, which leaves a moment for another device"),
            Row(
                what: "delete only one revision", isDone: removes != nil,
                meaning: removes.map { "an unseen edit is never deleted (\($0) ETag)" }
                    ?? "a tombstone is written under a condition instead"),
            Row(
                what: "delete only what is as old as it was", isDone: removesUnchanged,
                meaning: removes != nil
                    ? "not needed"
                    : removesUnchanged
                        ? "tombstones go a little later" : "tombstones stay, a small object each"),
            Row(
                what: "copy only one revision", isDone: copySource != nil,
                meaning: copySource.map { "versions and trash without a transfer (\($0))" }
                    ?? "versions and trash are read and written again"),
            Row(
                what: "copy only where nothing is", isDone: copiesIfAbsent,
                meaning: copiesIfAbsent
                    ? "renames without a transfer" : "renames are read and written again"),
            Row(
                what: "copy over one revision only", isDone: copyReplaces != nil,
                meaning: copyReplaces != nil
                    ? "renames over a document without a transfer"
                    : "renames over a document are read and written again"),
            Row(
                what: "complete parts only where nothing is", isDone: completesIfAbsent,
                meaning: completesIfAbsent
                    ? "new documents above 64 MiB are sent in parts"
                    : "new documents are one request, 5 GiB at most"),
            Row(
                what: "complete parts over one revision only", isDone: completes != nil,
                meaning: completes.map { "edits above 64 MiB are sent in parts (\($0) ETag)" }
                    ?? "edits are one request, 5 GiB at most"),
            Row(
                what: "refuse a body that was damaged", isDone: checksBodies,
                meaning: checksBodies
                    ? "checked by the store, and here before the last piece is sent"
                    : "checked here before the last piece is sent, and after every download"),
        ]
    }

    /// The results as a table in words, one line each, for people.
    package var table: String {
        let width = rows.map(\.what.count).max() ?? 0
        let lines = rows.map { row in
            let gap = String(repeating: " ", count: width - row.what.count)
            return "\(row.what)\(gap)  \(row.isDone ? "yes" : "no ")  \(row.meaning)"
        }
        let name = server.isEmpty ? "the store" : "the store (\(server))"
        return (["What \(name) does, as tried:"] + lines).joined(separator: "\n")
    }
}
