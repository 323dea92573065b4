import DivanCommandLine
import DivanExchange
import DivanJSON
import DivanRevisions
import DivanStore
import Foundation

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
        let written = try Stoppable.run(leaving: "no file was written") {
            try write(store, arguments, progress)
        }
        progress.finish()
        written.damaged.report(terminal)
        try Self.printResult(written, terminal)
        try written.damaged.fail()
    }

    /// What was written.
    private struct Written {
        var count: Int
        var rareCount = 0
        var missing: [BlobDigest] = []
        var damaged: DamagedDocuments
    }

    private func write(
        _ store: Store,
        _ arguments: Arguments,
        _ progress: ProgressLine
    ) throws -> Written {
        try store.read { reader in
            let living = try UnexpiredDocuments(in: reader)
            switch self {
            case .csv(let file):
                let path = try arguments.collectionPath()
                let output = try OutputFile(file)
                var table = CSVExport(to: output.write) { try progress.show($0) }
                try table.write(path, of: reader, among: living)
                try output.finish()
                return Written(count: table.count, damaged: table.damaged)
            case .sqlite(let file):
                let output = try OutputFile(file)
                try Self.requireRoom(for: output)
                let isOne = arguments.has("--collection")
                let paths = isOne ? [try arguments.collectionPath()] : try reader.collections()
                // The file's directory has as much space as it will need; that of a pipe may have none.
                var tables = try TableExport(
                    in: URL(fileURLWithPath: file).deletingLastPathComponent().path,
                    embedding: arguments.has("--blobs") ? store.blobs : nil
                ) { try progress.show($0) }
                for path in paths { try tables.add(path, of: reader, among: living) }
                try tables.finish(to: output.write)
                try Self.requireRoom(for: output)
                try output.finish()
                return Written(
                    count: tables.count,
                    rareCount: tables.rareCount,
                    missing: tables.missingBlobs,
                    damaged: tables.damaged
                )
            }
        }
    }

    /// Refuses a place where SQLite would take another database's changes for changes of this one.
    private static func requireRoom(for output: OutputFile) throws(Failure) {
        try output.requireNothing(beside: ["-wal", "-journal"])
    }

    /// Reports what was written, and what is missing.
    private static func printResult(_ written: Written, _ terminal: Terminal) throws(Failure) {
        let (count, rareCount) = (written.count, written.rareCount)
        var line = "Exported \(Numbers.count(count, "document"))"
        if rareCount > 0 {
            line +=
                "; \(Numbers.count(rareCount, "rare property", "rare properties")) only in _body"
        }
        let missing = MissingBlobReport(written.missing)
        var members: JSONObject = [
            "documents": JSON(count), "rareProperties": JSON(rareCount),
        ]
        if written.damaged.count > 0 { members["damaged"] = JSON(written.damaged.count) }
        terminal.done(line, members)
        try missing.fail(terminal)
    }
}
