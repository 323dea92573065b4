import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import Foundation

/// `divan expire`.
enum ExpireCommand: Command {
    static let syntax = CommandSyntax(
        name: "expire",
        summary: "show, set or clear the expiration of a document",
        operands: [.database, .document, .init(name: "WHEN", isOptional: true)],
        options: [
            .collection,
            .flag("--clear", "remove the expiration"),
            .json,
        ],
        details: """
            WHEN is a date, a date and time, or a duration from now: 90s, 15m, 12h, 30d or 4w. A
            time without a time zone is in UTC. A time in the past purges the document immediately.
            Without WHEN, prints the current expiration, or "never".

            Expired documents are purged by programs that have the database open for writing, and
            by 'divan purge --expired'. Expirations are local, and do not replicate.
            """,
        examples: [
            "divan expire notes draft-1 30d",
            "divan expire notes draft-1 2027-01-01T00:00Z",
            "divan expire notes draft-1 --clear",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let name = try arguments.collection()
        let id = arguments.operands[1]
        let text = arguments.operands.dropFirst(2).first
        guard text == nil || !arguments.has("--clear") else {
            throw Failure.usage("divan expire: WHEN and '--clear' cannot be combined")
        }
        let time = try text.map { text throws(Failure) in
            try Moment.reading(text, now: Moment.now())
        }
        guard time != nil || arguments.has("--clear") else {
            let moment = try arguments.database.using(.reading) { database in
                let collection = try database.existing(name)
                _ = try collection.existing(id)
                return try collection.getDocumentExpiration(id: id)
            }
            return show(moment, of: id, terminal)
        }
        let isOver = time.map { $0 <= Moment.now() } ?? false
        try arguments.database.using(.changing) { database in
            let collection = try database.existing(name)
            let document = try collection.existing(id)
            if isOver {
                try collection.purge(document: document)
            } else {
                let date = time.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
                try collection.setDocumentExpiration(id: id, expiration: date)
            }
        }
        let moment =
            isOver
            ? "was purged: the time is in the past"
            : time.map { "expires at \(Moment.text($0))" } ?? "does not expire"
        terminal.done(
            "\(id.escapingControlCharacters()) \(moment)",
            [
                "id": .string(id), "purged": .bool(isOver),
                "expires": isOver ? .null : time.map { .string(Moment.text($0)) } ?? .null,
            ]
        )
    }

    private static func show(_ moment: Date?, of id: String, _ terminal: Terminal) {
        // Not in milliseconds: for the last ones that fit into 64 bits, a double is one too many.
        let text = moment.map { ISO8601.format(secondsSince1970: $0.timeIntervalSince1970) }
        if terminal.isJSON {
            let object: JSON = ["id": .string(id), "expires": text.map { .string($0) } ?? .null]
            terminal.result(object.canonicalText)
        } else {
            terminal.result(text ?? "never")
        }
    }
}
