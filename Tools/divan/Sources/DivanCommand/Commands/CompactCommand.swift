import DivanCommandLine
import DivanJSON
import DivanStore

/// `divan compact`.
enum CompactCommand: Command {
    static let syntax = CommandSyntax(
        name: "compact",
        summary: "remove blobs that nothing names, and shrink the file",
        operands: [.database],
        options: [.json],
        details: "Needs as much free space as the documents take.",
        examples: ["divan compact travel"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        let collection = try store.compact()
        for name in collection.unknownNames {
            terminal.warn("\(name.escapingControlCharacters()) is no blob; it was left alone")
        }
        if terminal.isJSON {
            let object: JSON = [
                "blobsRemoved": JSON(collection.removedCount),
                "bytesRemoved": JSON(collection.removedByteCount),
                "unknownFiles": .array(collection.unknownNames.map { .string($0) }),
            ]
            return terminal.result(object.canonicalText)
        }
        terminal.note(
            "Compacted; removed \(Numbers.count(collection.removedCount, "blob")), "
                + Numbers.bytes(collection.removedByteCount)
        )
    }
}
