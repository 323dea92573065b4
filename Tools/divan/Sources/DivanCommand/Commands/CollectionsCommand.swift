import Divan
import DivanCommandLine
import DivanJSON
import DivanStore

/// `divan collections`.
enum CollectionsCommand: Command {
    static let syntax = CommandSyntax(
        name: "collections",
        aliases: ["lscoll"],
        summary: "list, make or remove the collections of a database",
        operands: [.database],
        options: [
            .value("--make", "NAME", isRepeating: true, "make this collection: scope.name or name"),
            .value(
                "--rm",
                "NAME",
                isRepeating: true,
                completion: .collection,
                "remove this collection with all its documents"
            ),
            .yes,
            .dryRun,
            .json,
        ],
        details: "Either everything that --make and --rm ask for is done, or nothing. The default "
            + "collection can be emptied but not removed. Before a collection with documents is removed, "
            + "you are asked. A document whose time is over counts until it is purged: by the next "
            + "program that opens the database to write.",
        examples: [
            "divan collections travel",
            "divan collections travel --make travel.hotels --rm travel.routes",
        ]
    )

    /// Questions are asked by the shell's own process, which then hands over what is confirmed.
    static func isDoneByHolder(_ arguments: Arguments) -> Bool {
        guard !arguments.has("--dry-run") else { return false }
        return arguments.has("--rm") ? arguments.has("--yes") : arguments.has("--make")
    }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let made = try paths(arguments, "--make")
        let removed = try paths(arguments, "--rm")
        guard made.isEmpty, removed.isEmpty else {
            let isDry = arguments.has("--dry-run")
            if !isDry, !removed.isEmpty, !arguments.has("--yes") {
                try confirm(arguments, removed, terminal)
                if let holder = HolderClient.find(arguments.database) {
                    var words = ["collections", "--yes"] + (terminal.isJSON ? ["--json"] : [])
                    for path in made { words += ["--make", path.wireName] }
                    for path in removed { words += ["--rm", path.wireName] }
                    try holder.run(words + ["--", arguments.operands[0]])
                }
            }
            return try change(
                arguments.database,
                make: made,
                remove: removed,
                isDry: isDry,
                terminal
            )
        }
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        try store.read { reader in
            let paths = try reader.collections()
            guard terminal.isJSON else {
                let rows = try paths.map { path in
                    let count = Numbers.count(try reader.count(in: path), "document")
                    let isPacked = try reader.bodyPacking(of: path) != nil
                    return (left: path.wireName, right: count + (isPacked ? ", packed" : ""))
                }
                return terminal.result(Columns.aligned(rows, indent: ""))
            }
            for path in paths {
                let codec = try reader.bodyPacking(of: path)
                let object: JSON = [
                    "bodies": .string(codec.map(BodyPacking.name) ?? "plain"),
                    "name": .string(path.wireName),
                    "documents": JSON(try reader.count(in: path)),
                    "sequence": JSON(try reader.lastSequence(in: path)),
                ]
                terminal.result(object.canonicalText)
            }
        }
    }

    /// Asks before documents are lost.
    private static func confirm(
        _ arguments: Arguments,
        _ removed: [CollectionPath],
        _ terminal: Terminal
    ) throws {
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let count = try store.read { reader in
            let there = Set(try reader.collections())
            return try removed.filter(there.contains).reduce(0) { try $0 + reader.count(in: $1) }
        }
        guard count > 0 else { return }
        let names = removed.map(\.wireName).joined(separator: ", ")
        try terminal.confirm(
            "Remove \(names) with \(Numbers.count(count, "document"))?",
            isSure: false
        )
    }

    private static func paths(
        _ arguments: Arguments,
        _ option: String
    ) throws(Failure) -> [CollectionPath] {
        try CollectionName.parsing(each: arguments.list(option)).map { CollectionPath($0) }
    }

    private static func change(
        _ database: DatabasePath,
        make: [CollectionPath],
        remove: [CollectionPath],
        isDry: Bool,
        _ terminal: Terminal
    ) throws {
        let store = try database.open(forWriting: !isDry)
        defer { try? store.close() }
        if isDry { return try foretell(make, remove, store, terminal) }
        try store.write { writer in
            for path in remove {
                guard try writer.hasCollection(path) else {
                    throw StoreError(.noSuchCollection(path), at: database.bundle)
                }
                try writer.deleteCollection(path)
            }
            for path in make { try writer.createCollection(path) }
        }
        for path in remove {
            terminal.done("Removed \(path.wireName)", ["removed": .string(path.wireName)])
        }
        for path in make {
            terminal.done("Made \(path.wireName)", ["made": .string(path.wireName)])
        }
    }

    /// Reports what would be done.
    private static func foretell(
        _ make: [CollectionPath],
        _ remove: [CollectionPath],
        _ store: Store,
        _ terminal: Terminal
    ) throws {
        try store.read { reader in
            let there = Set(try reader.collections())
            for path in remove {
                guard there.contains(path) else {
                    throw Failure(
                        kind: .notFound,
                        sentence: "there is no collection \(path.wireName); divan collections "
                            + "lists what is there"
                    )
                }
                let count = try reader.count(in: path)
                terminal.done(
                    "Would remove \(path.wireName) with \(Numbers.count(count, "document"))",
                    ["removed": .string(path.wireName), "documents": JSON(count), "dryRun": true]
                )
            }
            for path in make where !there.contains(path) {
                terminal.done(
                    "Would make \(path.wireName)",
                    ["made": .string(path.wireName), "dryRun": true]
                )
            }
        }
    }
}
