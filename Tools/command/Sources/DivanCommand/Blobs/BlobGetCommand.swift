import CouchbaseLiteSwift
import DivanCommandLine
import DivanExchange
import DivanJSON
import DivanRevisions

/// `divan blob get`.
enum BlobGetCommand: Command {
    static let syntax = CommandSyntax(
        name: "blob get",
        summary: "write a blob to a file or to standard output",
        operands: [
            .database, .document, .init(name: "KEY", isOptional: true),
            .init(name: "FILE", isOptional: true, completion: .file),
        ],
        options: [.collection],
        details: """
            KEY is a key of the document, or a JSON Pointer such as /pages/0/scan. It can be
            omitted if the document has only one blob. The blob is written to standard output if
            FILE is omitted or -.
            """,
        examples: [
            "divan blob get travel de flag de.png -c geo.countries",
            "divan blob get notes trip > photo.jpg",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let operands = arguments.operands.dropFirst(2)
        try write(operands.first, to: operands.dropFirst().first ?? "-", arguments, terminal)
    }

    /// Writes a blob of the document named by a command's first two operands.
    static func write(
        _ key: String?,
        to file: String,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws {
        let (name, id) = (try arguments.collection(), arguments.documentID(at: 1))
        try arguments.database.using(.reading) { database in
            let document = try database.existing(name).living(id.text)
            let body = try JSON(storedBody: document.storedJSON ?? [])
            let digest = "\(try choose(key, from: body, of: id).digest)"
            guard file != "-" else {
                return try database.forEachPiece(of: digest) {
                    terminal.result(bytes: $0)
                    try terminal.requireOutput()
                }
            }
            let output = try OutputFile(file)
            var byteCount = 0
            try database.forEachPiece(of: digest) { piece in
                try output.write(piece)
                byteCount += piece.count
            }
            try output.finish()
            terminal.note("Wrote \(Numbers.bytes(byteCount)) to \(file)")
        }
    }

    /// Finds the blob that is meant; without a key the only one.
    private static func choose(
        _ key: String?,
        from body: JSON,
        of documentID: DocumentID
    ) throws(Failure) -> NamedBlob {
        let blobs = NamedBlob.all(in: body)
        let fitting = blobs.filter { key == nil || $0.key == key || $0.pointer == key }
        if fitting.count == 1 { return fitting[0] }
        let keys = blobs.map(\.key).joined(separator: ", ")
        let problem =
            if blobs.isEmpty {
                "no blobs"
            } else if let key, fitting.isEmpty {
                "no blob under '\(key)'"
            } else {
                "more than one blob"
            }
        throw Failure(
            kind: key == nil && blobs.count > 1 ? .usage : .notFound,
            sentence: "document '\(documentID)' has \(problem)",
            hint: blobs.isEmpty ? nil : "choose one of these keys: \(keys)"
        )
    }
}
