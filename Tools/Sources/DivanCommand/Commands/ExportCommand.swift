import DivanJSON
import DivanStore
import Foundation

/// `divan export`.
enum ExportCommand: Command {
    static let syntax = CommandSyntax(
        name: "export",
        summary: "write documents as JSON lines",
        operands: [.database, .init(name: "FILE", isOptional: true)],
        options: [
            .collection,
            .flag("--blobs", "the content of blobs too, as base64"),
        ],
        details: "Ordered by document ID, which stands in each object under _id. Without FILE, "
            + "or with -, the lines go to standard output.",
        examples: ["divan export travel countries.jsonl -c geo.countries --blobs"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collection()
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let output = try destination(arguments)
        var count = 0
        try store.read { reader in
            var lines: [UInt8] = []
            try reader.forEachDocumentID(in: collection) { documentID in
                guard let document = try reader.document(documentID, in: collection) else {
                    return true
                }
                var body = try JSON(parsing: document.body)
                if arguments.has("--blobs") {
                    body = try InlineBlobs.embed(body, from: store.blobs)
                }
                var object = body.object ?? JSONObject()
                object["_id"] = .string(documentID)
                lines += try JSON.object(object).canonicalBytes()
                lines.append(UInt8(ascii: "\n"))
                count += 1
                if lines.count > 1 << 18 {
                    try output.write(contentsOf: lines)
                    lines.removeAll(keepingCapacity: true)
                }
                return true
            }
            try output.write(contentsOf: lines)
        }
        terminal.note("Exported \(Numbers.count(count, "document"))")
    }

    private static func destination(_ arguments: Arguments) throws -> FileHandle {
        guard let file = arguments.operands.dropFirst().first, file != "-" else {
            return FileHandle.standardOutput
        }
        guard FileManager.default.createFile(atPath: file, contents: nil),
            let handle = FileHandle(forWritingAtPath: file)
        else {
            throw Failure(
                kind: .failed,
                sentence: "\(file): cannot be written; check its directory"
            )
        }
        return handle
    }
}
