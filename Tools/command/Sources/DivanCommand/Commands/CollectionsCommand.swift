import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanJSON

/// `divan collections`.
enum CollectionsCommand: Command {
    static let syntax = CommandSyntax(
        name: "collections",
        aliases: ["lscoll"],
        summary: "list, create or remove collections",
        operands: [.database],
        options: [
            .value("--make", "NAME", isRepeating: true, "create a collection: scope.name or name"),
            .value(
                "--rm",
                "NAME",
                isRepeating: true,
                completion: .collection,
                "remove a collection and all its documents"
            ),
            .yes,
            .dryRun,
            .json,
        ],
        details: """
            --make and --rm apply all changes, or none. The default collection can be emptied, but
            not removed. Asks for confirmation before removing a collection that has documents.

            Expired documents are counted until they are purged. A program purges them when it
            opens the database for writing.
            """,
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
                    return (left: path.wireName, right: count + (isPacked ? ", compressed" : ""))
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
        let names = removed.filter { $0 != .default }.map(\.wireName).joined(separator: ", ")
        let removal = names.isEmpty ? nil : "remove \(names)"
        let emptying = removed.contains(.default) ? "empty \(CollectionPath.default.wireName)" : nil
        let deed = [removal, emptying].compactMap(\.self).joined(separator: " and ")
        let question = deed.prefix(1).uppercased() + deed.dropFirst()
        try terminal.confirm(
            "\(question) with \(Numbers.count(count, "document"))?",
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
        let areNew = try store.write { writer in
            for path in remove {
                guard try writer.hasCollection(path) else {
                    throw StoreError(.noSuchCollection(path), at: database.bundle)
                }
                try writer.deleteCollection(path)
            }
            return try make.map { path in
                let isNew = try !writer.hasCollection(path)
                try writer.createCollection(path)
                return isNew
            }
        }
        for path in remove {
            let name = path.wireName
            guard path != .default else {
                terminal.done(
                    "Emptied \(name) (the default collection cannot be removed)",
                    ["emptied": .string(name)]
                )
                continue
            }
            terminal.done("Removed \(name)", ["removed": .string(name)])
        }
        for (path, isNew) in zip(make, areNew) {
            terminal.doneMaking(path.wireName, isNew: isNew)
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
                        sentence: "collection '\(path.wireName)' does not exist",
                        hint: "run 'divan collections DB' to list the collections"
                    )
                }
                let count = try reader.count(in: path)
                let (deed, key) = path == .default ? ("empty", "emptied") : ("remove", "removed")
                terminal.rehearsed(
                    "\(deed) \(path.wireName) with \(Numbers.count(count, "document"))",
                    [key: .string(path.wireName), "documents": JSON(count)]
                )
            }
            for path in make {
                guard !there.contains(path) || remove.contains(path) && path != .default else {
                    terminal.doneMaking(path.wireName, isNew: false)
                    continue
                }
                terminal.rehearsed("create \(path.wireName)", ["made": .string(path.wireName)])
            }
        }
    }
}

extension Terminal {
    /// Reports that a collection was created, or already existed.
    func doneMaking(_ collection: String, isNew: Bool) {
        guard isNew else {
            return done("\(collection) already exists", ["existing": .string(collection)])
        }
        done("Created \(collection)", ["made": .string(collection)])
    }
}
