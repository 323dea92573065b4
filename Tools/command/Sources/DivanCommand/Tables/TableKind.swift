import DivanCommandLine
import DivanJSON
import DivanRevisions
import DivanStore

/// The formats of `divan export` whose columns are properties, chosen by the file's name.
enum TableKind {
    case csv(file: String)
    case sqlite(file: String)

    private static let suffixes = [".sqlite", ".sqlite3"]

    /// The kind that the file's name asks for; `nil` for any other file.
    ///
    /// - Throws: `Failure` for options that do not apply to such a file.
    init?(_ arguments: Arguments) throws(Failure) {
        guard let file = arguments.operands.dropFirst().first, !InputFile.isDirectory(file) else {
            return nil
        }
        if file.hasSuffix(".csv") {
            self = .csv(file: file)
        } else if Self.suffixes.contains(where: file.hasSuffix) {
            self = .sqlite(file: file)
        } else {
            return nil
        }
        var refused = ["--array", "--since"]
        if case .csv = self { refused.append("--blobs") }
        for option in refused where arguments.has(option) {
            throw .usage("'\(option)' cannot be used with \(file)", hint: "use a .jsonl file")
        }
    }

    /// Writes the file.
    func export(_ arguments: Arguments, _ terminal: Terminal) throws {
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let progress = ProgressLine(terminal, verb: "exported")
        defer { progress.finish() }
        let living = try store.living()
        var missing: [BlobDigest] = []
        var damaged = DamagedDocuments()
        let (count, rareCount) = try Stoppable.run(leaving: "no file was written") {
            try write(store, among: living, arguments, progress, &missing, &damaged)
        }
        progress.finish()
        damaged.tell(terminal)
        try Self.tell(count, rareCount, missing: missing, damaged, terminal)
        try damaged.fail()
    }

    /// Writes it; returns how many documents, and how many properties have no column.
    private func write(
        _ store: Store,
        among living: UnexpiredDocuments,
        _ arguments: Arguments,
        _ progress: ProgressLine,
        _ missing: inout [BlobDigest],
        _ damaged: inout DamagedDocuments
    ) throws -> (count: Int, rareCount: Int) {
        try store.read { reader in
            switch self {
            case .csv(let file):
                let path = try arguments.collectionPath()
                var documents = CSVDocuments(to: try OutputFile(file))
                let total = try reader.count(in: path)
                // Read twice, and counted once.
                var found = DamagedDocuments()
                try documents.add(total, progress) { body in
                    found = DamagedDocuments()
                    try reader.forEachObject(in: path, among: living, &found) {
                        try body($0.documentID, $1)
                    }
                }
                damaged = found
                try documents.finish()
                return (documents.count, 0)
            case .sqlite(let file):
                let output = try OutputFile(file)
                try TableExport.requireRoom(for: output)
                let isOne = arguments.has("--collection")
                let paths = isOne ? [try arguments.collectionPath()] : try reader.collections()
                var tables = try TableExport(
                    for: file,
                    embedding: arguments.has("--blobs") ? store.blobs : nil,
                    progress
                )
                for path in paths { try tables.add(path, reader, among: living, &damaged) }
                try tables.finish(output)
                missing = tables.missingBlobs
                return (tables.count, tables.rareCount)
            }
        }
    }

    /// Reports what was written, and what is missing.
    private static func tell(
        _ count: Int,
        _ rareCount: Int,
        missing: [BlobDigest],
        _ damaged: DamagedDocuments,
        _ terminal: Terminal
    ) throws(Failure) {
        var line = "Exported \(Numbers.count(count, "document"))"
        if rareCount > 0 {
            line +=
                "; \(Numbers.count(rareCount, "rare property", "rare properties")) only in _body"
        }
        let missing = MissingBlobReport(missing)
        var members: JSONObject = [
            "documents": JSON(count), "rareProperties": JSON(rareCount),
        ]
        if damaged.count > 0 { members["damaged"] = JSON(damaged.count) }
        terminal.done(line, members)
        try missing.fail(terminal)
    }
}

extension StoreReader {
    /// Calls `body` with each document of a collection, in the order of IDs, and its contents; adds those
    /// that cannot be read to `damaged`.
    func forEachObject(
        in path: CollectionPath,
        among living: UnexpiredDocuments,
        _ damaged: inout DamagedDocuments,
        _ body: (StoredDocument, JSONObject) throws -> Void
    ) throws {
        try forEachDocument(in: path) { documentID, _ in
            damaged.take(documentID.text, in: path.wireName)
        } _: { document in
            try Interruption.check()
            if living.leaveSomeOut {
                let end = try expiration(of: document.documentID, in: path)
                guard living.contain(endingAt: end) else { return }
            }
            if let object = try JSON(storedBody: document.body).object {
                try body(document, object)
            }
        }
    }
}
