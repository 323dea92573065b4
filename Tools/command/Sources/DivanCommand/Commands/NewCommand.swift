import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON

/// `divan new`.
enum NewCommand: Command {
    static let syntax = CommandSyntax(
        name: "new",
        summary: "create an empty database",
        operands: [.database],
        options: [
            .collections("also create these collections (comma-separated)", completion: .nothing),
            KeyOptions.sealing,
        ],
        examples: [
            "divan new travel", "divan new fleet --collections fleet.robots,fleet.maps",
            "divan new diary --encrypt",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.database
        let collections = try arguments.collections()
        if path.exists {
            throw Failure(
                kind: .conflict,
                sentence: "\(path.bundle) already exists",
                hint: "choose another name"
            )
        }
        let key = try KeyRing.shared.keyToSealWith(arguments)
        try path.makeDatabase(key: key, collections: collections)
        let names = collections.map { JSON.string($0.description) }
        terminal.done(
            "Created \(path.bundle)",
            ["database": .string(path.bundle), "collections": .array(names)]
        )
    }
}
