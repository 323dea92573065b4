import DivanCommandLine
import DivanJSON
import DivanStore
import Glibc

/// `divan dump`.
enum DumpCommand: Command {
    static let syntax = CommandSyntax(
        name: "dump",
        summary: "write a whole database with its history, as text",
        operands: [.database, .init(name: "FILE", isOptional: true, completion: .file)],
        options: [
            .value(
                "--since",
                "DUMP",
                completion: .file,
                "only what has changed since this file was written"
            ),
            .json,
        ],
        details: """
            A line of JSON for each document of every collection, tombstones too: all revisions that
            are known, with their IDs or version vectors, conflicts, expirations, what remotes have,
            and the blobs; of the indexes how they are made. A FILE that is there is replaced, and nobody is asked.
            divan restore makes another database of it, with equal revisions: its first sync with each
            peer compares everything once, and sends nothing that both have. Without FILE, or with -, it goes to standard output. One state of the
            database is written, which may be in use meanwhile; the last line lets a file that
            was cut off or changed be noticed.
            With --since the result is what has changed since: keep it beside DUMP, or add it to it.
            The file is plain text, also that of a sealed database.
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
                    "\(file) would be replaced by what only follows it; leave FILE out, and add to "
                        + "it with >> \(path)"
                )
            }
            return try DumpEnd.last(of: path)
        }
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let output = try DumpOutput(file, terminal)
        let progress = ProgressLine(
            terminal,
            verb: "dumped",
            besideResults: (file ?? "-") == "-"
        )
        defer { progress.finish() }
        var writer = DumpWriter(store, to: output, progress)
        let isFile = file != nil && file != "-"
        try Stoppable.run(leaving: "no dump was written", endsAtOnce: !isFile) {
            try writer.write(since: former)
            try output.finish()
        }
        progress.finish()
        report(writer, output, isResult: isFile, terminal)
        let losses = losses(of: writer)
        guard losses.isEmpty else {
            throw Failure(
                kind: .partly,
                sentence: losses.joined(separator: ", ") + "; divan check names the documents"
            )
        }
    }

    /// What the dump lacks of the database, in words.
    private static func losses(of writer: DumpWriter) -> [String] {
        var losses: [String] = []
        if let finding = writer.hidingDamage {
            losses.append("pages are damaged (\(finding)), and documents may be missing")
        }
        if writer.hasDamagedIndex {
            losses.append(
                "the index of document IDs is damaged, and a document may stand twice in the dump (divan "
                    + "index rebuild mends it)"
            )
        }
        if writer.damaged.count > 0 { losses.append("\(writer.damaged.words) left out") }
        if !writer.missingBlobs.isEmpty {
            losses.append("\(Numbers.count(writer.missingBlobs.count, "blob")) missing")
        }
        if !writer.alteredBlobs.isEmpty {
            losses.append("\(Numbers.count(writer.alteredBlobs.count, "altered blob")) left out")
        }
        return losses
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(left, &first) == 0, stat(right, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
            && first.st_mode & S_IFMT == S_IFREG
    }

    private static func report(
        _ writer: DumpWriter,
        _ output: DumpOutput,
        isResult: Bool,
        _ terminal: Terminal
    ) {
        writer.damaged.tell(terminal)
        terminal.noteMissing(writer.missingBlobs)
        terminal.noteMissing(writer.alteredBlobs, because: "its content was altered, left out")
        let contents = Numbers.contents(writer.documentCount, blobs: writer.blobCount)
        let sentence = "Dumped \(contents), \(Numbers.bytes(output.byteCount))"
        var members: JSONObject = [
            "documents": JSON(writer.documentCount), "blobs": JSON(writer.blobCount),
            "missingBlobs": .array(writer.missingBlobs.map { .string("\($0)") }),
            "bytes": JSON(output.byteCount),
        ]
        if !writer.alteredBlobs.isEmpty {
            members["alteredBlobs"] = .array(writer.alteredBlobs.map { .string("\($0)") })
        }
        if writer.damaged.count > 0 { members["damaged"] = JSON(writer.damaged.count) }
        if isResult {
            terminal.done(sentence, members)
        } else {
            terminal.done(besideResults: sentence, members)
        }
    }
}

extension Terminal {
    /// Lists missing blobs, up to a limit.
    func noteMissing(_ blobs: [some CustomStringConvertible], because reason: String = "missing") {
        for digest in blobs.prefix(DumpLimits.toldLossCount) {
            note("divan: blob \(digest): \(reason)")
        }
    }
}
