import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON

/// `divan upgrade`.
enum UpgradeCommand: Command {
    static let syntax = CommandSyntax(
        name: "upgrade",
        summary: "convert a database to version vectors (cannot be undone)",
        operands: [.database],
        options: [.yes, .dryRun],
        details: """
            Databases with revision trees sync with Couchbase Lite 2 and 3 and every version of
            Sync Gateway. Databases with version vectors sync only with Couchbase Lite 4 and Sync
            Gateway 4.

            Documents, checkpoints and conflicts are kept. Older versions of Divan cannot open the
            database any more: copy it first. Asks for confirmation; scripts must give --yes.
            """,
        examples: [
            "divan upgrade travel --dry-run",
            "divan cp travel travel-3 && divan upgrade travel --yes",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let isDry = arguments.has("--dry-run")
        let path = arguments.database
        let (scheme, count) = try path.using(isDry ? .reading : .changing) { database in
            (database.revisionScheme, try database.documentCount())
        }
        guard scheme != .versionVectors else {
            return printResult("The database already uses version vectors", isNew: false, terminal)
        }
        guard !isDry else {
            return terminal.rehearsed(
                "convert \(Numbers.count(count, "document")) to version vectors (cannot be undone)",
                ["scheme": "vectors", "upgraded": true, "documents": JSON(count)]
            )
        }
        try terminal.confirm(
            "Convert \(path.name) to version vectors?",
            isSure: arguments.has("--yes")
        )
        try path.using(.changing, naming: .versionVectors) { _ in }
        printResult("The database now uses version vectors", isNew: true, terminal)
    }

    private static func printResult(_ sentence: String, isNew: Bool, _ terminal: Terminal) {
        terminal.done(sentence, ["scheme": "vectors", "upgraded": .bool(isNew)])
    }
}
