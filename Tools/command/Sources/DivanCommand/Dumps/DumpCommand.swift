import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanPlatform

/// `divan dump`.
enum DumpCommand: Command {
    static let syntax = CommandSyntax(
        name: "dump",
        summary: "export a database with its full revision history",
        operands: [.database, .init(name: "FILE", isOptional: true, completion: .file)],
        options: [
            .value("--since", "DUMP", completion: .file, "only changes since this dump")
                .grouped(.filters),
            .json,
        ],
        details: """
            Writes one consistent state of the database, which may be in use, as JSON lines. For
            each document, the dump contains all known revisions, tombstones, conflicts,
            expirations and blobs; it also contains the definitions of indexes. It is written to
            standard output if FILE is omitted or -. An existing FILE is replaced.

            'divan restore' recreates a database from the dump. With --since, only changes are
            written: append them to DUMP, or keep them in a separate file. A checksum in the last
            line detects truncated and changed files.

            The dump of an encrypted database is not encrypted.
            """,
        examples: [
            "divan dump shop shop.dump", "divan dump shop --since shop.dump >> shop.dump",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let file = arguments.operands.dropFirst().first
        let former = try arguments.value("--since").map { path in
            if let file, isSame(file, path) {
                throw Failure.usage(
                    "\(file) is also the file given to '--since', and would be overwritten",
                    hint: "leave FILE out, and append with '>> \(path)'"
                )
            }
            return try DumpEnd.last(ofFile: path)
        }
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let output = try file.flatMap { try $0 == "-" ? nil : OutputFile($0) }
        let progress = ProgressLine(
            terminal,
            verb: "dumped",
            besideResults: (file ?? "-") == "-"
        )
        defer { progress.finish() }
        let sink: ByteSink = if let output { output.write } else { terminal.write(json:) }
        var writer = DumpWriter(store, to: sink) { try progress.show($0) }
        let isFile = output != nil
        try Stoppable.run(leaving: "no dump was written", endsAtOnce: !isFile) {
            try writer.write(since: former)
            try output?.finish()
        }
        progress.finish()
        report(writer, isResult: isFile, terminal)
        try writer.requireCompleteness()
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        guard let first = try? FileStatus(of: left), let second = try? FileStatus(of: right) else {
            return false
        }
        return first.isSameFile(as: second) && first.kind == .regular
    }

    private static func report(
        _ writer: DumpWriter,
        isResult: Bool,
        _ terminal: Terminal
    ) {
        writer.reportLosses(terminal)
        let contents = Numbers.contents(writer.documentCount, blobs: writer.blobCount)
        let sentence = "Dumped \(contents), \(Numbers.bytes(writer.byteCount))"
        let members = writer.members
        if isResult {
            terminal.done(sentence, members)
        } else {
            terminal.done(besideResults: sentence, members)
        }
    }
}

extension Terminal {
    /// Losses that are listed individually.
    private static let namedLossCount = 40

    /// Lists missing blobs, up to a limit.
    func noteMissing(_ blobs: [some CustomStringConvertible], because reason: String = "missing") {
        for digest in blobs.prefix(Self.namedLossCount) {
            note("divan: blob \(digest): \(reason)")
        }
    }
}
