import DivanCommandLine
import DivanCrypto
import DivanDatabase
import DivanJSON
import DivanRevisions

/// `divan info`.
enum InfoCommand: Command {
    static let syntax = CommandSyntax(
        name: "info",
        summary: "show information about a database",
        operands: [.database],
        options: [.json],
        details: """
            For a compressed collection, shows the percentage of compressed documents. It is
            estimated from a sample of 256 if the collection has more documents.
            """,
        examples: ["divan info travel"]
    )

    private struct Row {
        var path: CollectionPath
        var count: Int
        var lastSequence: UInt64
        var conflictCount: Int
        var bodies: PackedBodies?
    }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let store = try arguments.database.open(forWriting: false)
        let rows = try store.read { reader in
            let bodies = try reader.packedBodies()
            return try reader.collections().map { path in
                Row(
                    path: path,
                    count: try reader.count(in: path),
                    lastSequence: try reader.lastSequence(in: path),
                    conflictCount: try reader.conflicts(in: path).count,
                    bodies: bodies[path]
                )
            }
        }
        let blobs = try store.blobs.usage()
        let expiredCount = try store.expiredCount(now: Moment.now())
        let publicUUID = store.publicUUID
        let uuid = Hex.encode(publicUUID.span)
        if terminal.isJSON {
            var object = json(arguments.database, uuid, store.scheme, rows, blobs)
            object["expired"] = JSON(expiredCount)
            terminal.result(JSON.object(object).canonicalText)
        } else {
            print(arguments.database, uuid, store.scheme, rows, blobs, terminal)
            guard expiredCount > 0 else { return try store.close() }
            terminal.result(
                "Expired      \(Numbers.count(expiredCount, "document")) of these, not purged yet"
            )
        }
        try store.close()
    }

    private static func print(
        _ path: DatabasePath,
        _ uuid: String,
        _ scheme: RevisionScheme,
        _ rows: [Row],
        _ blobs: BlobStore.Usage,
        _ terminal: Terminal
    ) {
        terminal.result("Database     \(path.bundle)")
        terminal.result("UUID         \(uuid)")
        terminal.result("Revisions    \(scheme.title)")
        terminal.result("Encrypted    \(path.cipher ?? "no")")
        terminal.result(
            "Blobs        \(Numbers.grouped(blobs.count)), \(Numbers.bytes(blobs.byteCount))"
        )
        guard !rows.isEmpty else {
            // Every database has the default one.
            return terminal.result(
                "Collections  none: the file is damaged; run 'divan check' for details"
            )
        }
        terminal.result("Collections")
        let lines = rows.map { row in
            var text =
                "\(Numbers.count(row.count, "document")), sequence \(Numbers.grouped(row.lastSequence))"
            if row.conflictCount > 0 {
                text += ", \(Numbers.grouped(row.conflictCount)) in conflict"
            }
            if let bodies = row.bodies { text += ", \(bodies.title)" }
            return (left: row.path.wireName, right: text)
        }
        terminal.result(Columns.aligned(lines))
    }

    private static func json(
        _ path: DatabasePath,
        _ uuid: String,
        _ scheme: RevisionScheme,
        _ rows: [Row],
        _ blobs: BlobStore.Usage
    ) -> JSONObject {
        let collections = rows.map { row in
            var members: JSONObject = [
                "name": .string(row.path.wireName), "documents": JSON(row.count),
                "sequence": JSON(row.lastSequence), "conflicts": JSON(row.conflictCount),
                "bodies": .string(row.bodies?.codecName ?? "plain"),
            ]
            if let bodies = row.bodies {
                members["packed"] = [
                    "documentsSeen": JSON(bodies.seenCount),
                    "documentsPacked": JSON(bodies.packedCount),
                    "dictionaryBytes": JSON(bodies.dictionaryByteCount),
                    "allDictionariesBytes": JSON(bodies.allDictionariesByteCount),
                ]
            }
            return JSON.object(members)
        }
        return [
            "path": .string(path.bundle), "uuid": .string(uuid),
            "revisions": .string(scheme.rawValue),
            "sealed": path.cipher.map { .string($0) } ?? .bool(false),
            "collections": .array(collections),
            "blobs": ["count": JSON(blobs.count), "bytes": JSON(blobs.byteCount)],
        ]
    }
}

extension RevisionScheme {
    /// The scheme for people.
    var title: String {
        switch self {
        case .trees: "trees (Couchbase Lite 3, Sync Gateway)"
        case .vectors: "version vectors (Couchbase Lite 4, Sync Gateway 4)"
        }
    }
}

extension PackedBodies {
    /// The codec of future bodies; `nil`: they stay unpacked.
    var codecName: String? { codec.map(BodyPacking.name) }

    /// All of it for people.
    var title: String {
        let share = Double(packedCount) / Double(max(1, seenCount))
        // "All" and "none" are reported only if they are exact.
        let percent = packedCount == seenCount ? 100 : min(99, Int((share * 100).rounded(.up)))
        let packed = "\(seenCount == 0 ? 0 : percent) % compressed"
        guard let codecName else { return "compression off, \(packed)" }
        guard dictionaryByteCount > 0 else { return "\(codecName), no dictionary yet" }
        return "\(codecName), \(packed), dictionary \(Numbers.bytes(dictionaryByteCount))"
    }
}
