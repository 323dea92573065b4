import CouchbaseLiteSwift
import DivanCommandLine
import DivanExchange
import DivanJSON

/// `divan get`.
enum GetCommand: Command {
    static let syntax = CommandSyntax(
        name: "get",
        aliases: ["cat"],
        summary: "print a document, or the content of one of its blobs",
        operands: [.database, .document],
        options: [
            .collection,
            .flag("--raw", "print the body on one line, as it is stored"),
            .value("--blob", "KEY", "print the content of the blob under this key"),
            .json,
        ],
        examples: [
            "divan get travel de -c geo.countries",
            "divan get travel de -c geo.countries --blob flag > de.png",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        if let key = arguments.value("--blob") {
            return try BlobGetCommand.write(key, to: "-", arguments, terminal)
        }
        let name = try arguments.collection()
        let body = try arguments.database.using(.reading) { database in
            try database.existing(name).living(arguments.operands[1]).storedJSON ?? []
        }
        if arguments.has("--raw") || terminal.isJSON {
            terminal.result(json: body)
        } else {
            let text = try JSONMembers(storedBody: body).canonicalBytes()
            try IndentedText.write(text) {
                terminal.result(json: $0)
                try terminal.requireOutput()
            }
        }
        terminal.result(bytes: [UInt8(ascii: "\n")])
    }
}
