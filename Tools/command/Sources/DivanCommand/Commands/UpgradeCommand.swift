import Divan
import DivanCommandLine
import DivanJSON

/// `divan upgrade`.
enum UpgradeCommand: Command {
    static let syntax = CommandSyntax(
        name: "upgrade",
        summary: "name revisions by version vectors, permanently (there is no way back)",
        operands: [.database],
        options: [.yes, .dryRun],
        details: """
            A database of revision trees syncs with Couchbase Lite 2 and 3 and every Sync Gateway, one
            of version vectors with Couchbase Lite 4 and Sync Gateway 4 and nobody else. No document
            is touched; what peers have, checkpoints and conflicts stay. There is no way back, and
            versions of Divan before this one do not open the database any more: copy it first. You
            are asked, unless you say --yes; a script has to.
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
            return tell("Revisions are named by version vectors already", isNew: false, terminal)
        }
        guard !isDry else {
            return terminal.rehearsed(
                "name the revisions of \(Numbers.count(count, "document")) by version vectors, permanently",
                ["scheme": "vectors", "upgraded": true, "documents": JSON(count)]
            )
        }
        try terminal.confirm(
            "Name the revisions of \(path.name) by version vectors, permanently?",
            isSure: arguments.has("--yes")
        )
        try path.using(.changing, naming: .versionVectors) { _ in }
        tell("Revisions are named by version vectors from now on", isNew: true, terminal)
    }

    private static func tell(_ sentence: String, isNew: Bool, _ terminal: Terminal) {
        terminal.done(sentence, ["scheme": "vectors", "upgraded": .bool(isNew)])
    }
}
