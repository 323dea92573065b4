import DivanCommandLine
import DivanJSON
import DivanStore

/// `divan compact`.
enum CompactCommand: Command {
    static let syntax = CommandSyntax(
        name: "compact",
        summary: "remove blobs that nothing names, and shrink the file",
        operands: [.database],
        options: [.dryRun, .json],
        details: "Needs as much free space as the documents take.",
        examples: ["divan compact travel", "divan compact travel --dry-run"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let isDry = arguments.has("--dry-run")
        let store = try arguments.database.open(forWriting: !isDry)
        defer { try? store.close() }
        let collection = try isDry ? store.garbage() : store.compact()
        for name in collection.unknownNames {
            terminal.warn("\(name.escapingControlCharacters()) is no blob; it was left alone")
        }
        let members: JSONObject = [
            "blobsRemoved": JSON(collection.removedCount),
            "bytesRemoved": JSON(collection.removedByteCount),
            "unknownFiles": .array(collection.unknownNames.map { .string($0) }),
        ]
        let removed =
            "\(Numbers.count(collection.removedCount, "blob")), "
            + Numbers.bytes(collection.removedByteCount)
        if isDry { return terminal.rehearsed("compact; remove \(removed)", members) }
        terminal.done("Compacted; removed \(removed)", members)
    }
}
