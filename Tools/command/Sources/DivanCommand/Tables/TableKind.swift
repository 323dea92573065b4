import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanRevisions
import Foundation

/// The formats of `divan export` whose columns are properties.
enum TableKind {
    /// A file, or standard output for `-`.
    case csv(file: String)
    case sqlite(file: String)

    /// The kind of a format; `nil` for JSON.
    init?(_ format: ExportFormat, file: String) {
        switch format {
        case .lines, .array: return nil
        case .csv: self = .csv(file: file)
        case .sqlite: self = .sqlite(file: file)
        }
    }

    private var writesToResults: Bool {
        if case .csv(file: "-") = self { true } else { false }
    }

    /// Writes the file.
    func export(_ arguments: Arguments, _ terminal: Terminal) throws {
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let progress = ProgressLine(
            terminal,
            verb: "exported",
            besideResults: writesToResults
        )
        defer { progress.finish() }
        let written = try Stoppable.run(
            leaving: "no file was written",
            endsAtOnce: writesToResults
        ) {
            try write(store, arguments, terminal, progress)
        }
        progress.finish()
        written.damaged.report(terminal)
        try Self.printResult(written, arguments, terminal)
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
        _ terminal: Terminal,
        _ progress: ProgressLine
    ) throws -> Written {
        try store.read { reader in
            let living = try UnexpiredDocuments(in: reader)
            switch self {
            case .csv(let file):
                let path = try arguments.collectionPath()
                let output = writesToResults ? nil : try ExportFile(file)
                let results = ResultLines(terminal)
                let sink: ByteSink = output.map { $0.write } ?? results.write
                var table = CSVExport(to: sink) { try progress.show($0) }
                try table.write(path, of: reader, among: living)
                try results.finish()
                try output?.finish()
                return Written(count: table.count, damaged: table.damaged)
            case .sqlite(let file):
                let output = try ExportFile(file)
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
    private static func requireRoom(for output: ExportFile) throws(Failure) {
        try output.requireNothing(beside: ["-wal", "-journal"])
    }

    /// Reports what was written, and what is missing.
    private static func printResult(
        _ written: Written,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws(Failure) {
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
        ExportCommand.printResult(line, members, arguments, terminal)
        try missing.fail(terminal)
    }
}

/// Comma-separated values on standard output; on a terminal, no text in them can move the cursor.
private final class ResultLines {
    private let terminal: Terminal
    private var rest: [UInt8] = []

    init(_ terminal: Terminal) {
        self.terminal = terminal
    }

    /// Writes the lines that are complete.
    func write(_ bytes: [UInt8]) throws {
        guard terminal.resultWidth != nil else { return try terminal.write(bytes: bytes) }
        rest += bytes
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
        try show(rest[...end])
        rest.removeSubrange(...end)
    }

    /// Writes the rest.
    func finish() throws {
        try show(rest[...])
        rest = []
    }

    private func show(_ bytes: ArraySlice<UInt8>) throws {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let shown = lines.map { line -> String in
            let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            return String(decoding: text, as: UTF8.self).escapingControlCharacters()
        }
        try terminal.write(bytes: Array(shown.joined(separator: "\n").utf8))
    }
}
