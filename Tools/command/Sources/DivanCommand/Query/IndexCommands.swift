import Divan
import DivanCommandLine
import DivanJSON
import DivanQuery
import DivanStore

/// `divan index ls`.
enum IndexListCommand: Command {
    static let syntax = CommandSyntax(
        name: "index ls",
        summary: "list the indexes of a collection",
        operands: [.database],
        options: [.collection, .json],
        examples: ["divan index ls travel -c travel.hotels"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let (indexes, damaged) = try store.read { reader in
            (try reader.indexes(in: collection), try reader.damagedIndexNames(in: collection))
        }
        guard terminal.isJSON else {
            guard !indexes.isEmpty || !damaged.isEmpty else {
                return terminal.note(try absence(arguments, store).escapingControlCharacters())
            }
            let remedy = "damaged, no query uses it: divan index make makes it again, rm removes it"
            let rows =
                indexes.map { (left: $0.name.text, right: $0.line) }
                + damaged.map { (left: $0.text, right: remedy) }
            return terminal.result(Columns.aligned(rows, indent: ""))
        }
        for index in indexes {
            let object: JSON = [
                "name": .string(index.name.text), "type": .string(index.kind.rawValue),
                "source": .string(index.summary),
            ]
            terminal.result(object.canonicalText)
        }
        for name in damaged {
            let object: JSON = ["name": .string(name.text), "damaged": .bool(true)]
            terminal.result(object.canonicalText)
        }
    }
}

extension IndexListCommand {
    /// An empty default collection is often not what was meant.
    private static func absence(_ arguments: Arguments, _ store: Store) throws -> String {
        guard !arguments.has("--collection") else { return "No index" }
        let others = try store.read { reader in
            try reader.collections().filter { path in
                try path != .default && !reader.indexes(in: path).isEmpty
            }
        }.map(\.wireName)
        guard let first = others.first else { return "No index" }
        let more = others.count > hintCount ? " and \(others.count - hintCount) more" : ""
        return "No index in the default collection; there are indexes in "
            + "\(others.prefix(hintCount).joined(separator: ", "))\(more): divan index ls "
            + "\(arguments.database.word) -c \(first)"
    }

    private static let hintCount = 5
}

extension StoredIndex {
    /// The kind and its expressions, such as `array: the items of tags`.
    var line: String {
        let sort =
            switch kind {
            case .value: "value"
            case .array: "array"
            case .fullText: "full text"
            }
        return "\(sort): \(summary)"
    }
}

/// `divan index make`.
enum IndexMakeCommand: Command {
    static let syntax = CommandSyntax(
        name: "index make",
        aliases: ["mkindex"],
        summary: "make an index of a collection",
        operands: [
            .database, .init(name: "NAME"),
            .init(name: "EXPRESSION", isOptional: true, isRepeating: true),
        ],
        options: [
            .collection,
            .value("--where", "CONDITION", "only documents that meet this condition"),
            .flag("--text", "index words, for MATCH"),
            .value("--language", "CODE", "with --text, cut off the endings of this language"),
            .flag("--ignore-accents", "with --text, take café and cafe for one word"),
            .value("--array", "PATH", "index the items at this path, such as contacts[].phones"),
        ],
        details:
            "The expressions are SQL++. An index of the same name is replaced. With --array and "
            + "without expressions the items themselves are indexed. Ctrl-C leaves the indexes as they were.",
        examples: [
            "divan index make travel byCity -c travel.hotels city 'LOWER(name)'",
            "divan index make travel words -c travel.hotels story --text --language en",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let expressions = Array(arguments.operands.dropFirst(2))
        let config = try config(arguments, expressions)
        let name = try arguments.collection()
        let database = try arguments.database.openDatabase()
        defer { try? database.close() }
        let advice = IndexAdvice(arguments)
        if try database.collection(name) == nil,
            let sentence = try advice.sentence(forMissing: name, in: database)
        {
            throw Failure(kind: .notFound, sentence: sentence)
        }
        let collection = try database.collections(named: [name])[0]
        try terminal.watchingIndex(of: collection.count, rest: "the indexes are as they were") {
            watch in
            try collection.createIndex(
                withName: arguments.operands[1],
                config: config,
                watch: watch
            )
        }
        terminal.done(
            "Made index \(arguments.operands[1]) of \(name)",
            ["made": .string(arguments.operands[1]), "collection": .string("\(name)")]
        )
        if let sentence = try advice.sentence(of: collection, in: database) {
            terminal.warn(sentence)
        }
    }

    /// Refuses options that would create another index than intended.
    private static func check(_ arguments: Arguments) throws(Failure) {
        for other in ["--text", "--where"] where arguments.has("--array") && arguments.has(other) {
            throw .usage("--array and \(other) contradict each other; choose one")
        }
        for option in ["--language", "--ignore-accents"]
        where arguments.has(option) && !arguments.has("--text") {
            throw .usage("\(option) is for an index of words; add --text")
        }
    }

    private static func config(
        _ arguments: Arguments,
        _ expressions: [String]
    ) throws(Failure) -> any IndexConfiguration {
        guard !expressions.contains("") else {
            throw .usage("divan index make: EXPRESSION is empty; give what to index")
        }
        try check(arguments)
        if let path = arguments.value("--array") {
            return ArrayIndexConfiguration(
                path: path,
                expressions: expressions.isEmpty ? nil : expressions
            )
        }
        guard !expressions.isEmpty else {
            throw .usage("divan index make: EXPRESSION is missing; give what to index")
        }
        let condition = arguments.value("--where")
        guard arguments.has("--text") else {
            return ValueIndexConfiguration(expressions, where: condition)
        }
        return FullTextIndexConfiguration(
            expressions,
            where: condition,
            ignoreAccents: arguments.has("--ignore-accents"),
            language: arguments.value("--language") ?? ""
        )
    }
}

/// `divan index rm`.
enum IndexRemoveCommand: Command {
    static let syntax = CommandSyntax(
        name: "index rm",
        summary: "remove an index of a collection",
        operands: [.database, .init(name: "NAME")],
        options: [.collection, .yes, .dryRun],
        details:
            "Loses no document; divan index make makes it again. Nothing is asked; --yes changes "
            + "nothing.",
        examples: ["divan index rm travel byCity -c travel.hotels"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let name = ExactText(arguments.operands[1])
        let isDry = arguments.has("--dry-run")
        let store = try arguments.database.open(forWriting: !isDry)
        defer { try? store.close() }
        if isDry {
            try store.read { try require(name, in: collection, $0) }
        } else {
            try store.write { writer in
                try require(name, in: collection, writer)
                try writer.deleteIndex(name, in: collection)
            }
        }
        let object = "index \(name) of \(collection.wireName)"
        let members: JSONObject = [
            "removed": .string(arguments.operands[1]), "collection": .string(collection.wireName),
        ]
        if isDry { return terminal.rehearsed("remove \(object)", members) }
        terminal.done("Removed \(object)", members)
    }

    private static func require(
        _ name: ExactText,
        in collection: CollectionPath,
        _ reader: StoreReader
    ) throws {
        let isThere =
            try reader.indexes(in: collection).contains { $0.name == name }
            || reader.damagedIndexNames(in: collection).contains(name)
        guard isThere else {
            let place = try reader.collections().first { other in
                try reader.indexes(in: other).contains { $0.name == name }
            }?.wireName
            let hint = place.map { "there is one in \($0): -c \($0)" }
            throw Failure(
                kind: .notFound,
                sentence: "\(collection.wireName) has no index \(name); "
                    + (hint ?? "divan index ls lists them")
            )
        }
    }
}

/// `divan index rebuild`.
enum IndexRebuildCommand: Command {
    static let syntax = CommandSyntax(
        name: "index rebuild",
        aliases: ["reindex"],
        summary: "rebuild all indexes of a database",
        operands: [.database],
        options: [.json],
        details:
            "Compares each with the documents afterwards, and renews what SQLite chooses plans by. The index "
            + "of document IDs is among them; where it was damaged, and a document was stored a second "
            + "time since, the later one stays, and is named. Needed after divan check has found an index "
            + "that does not fit.",
        examples: ["divan index rebuild travel"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        let documentCount = try store.read { try $0.documentCount() }
        var (count, twice) = (0, [String]())
        let rest = "each collection has the indexes of before, or new ones"
        try terminal.watchingIndex(of: UInt64(documentCount), rest: rest) { watch in
            count = try store.reindex(watch: watch) { twice.append($0) }
        }
        for line in twice { terminal.warn(line.escapingControlCharacters()) }
        var members: JSONObject = ["rebuilt": JSON(count)]
        if !twice.isEmpty {
            members["twice"] = .array(twice.map { .string($0.escapingControlCharacters()) })
        }
        terminal.done("Rebuilt \(Numbers.count(count, "index", "indexes"))", members)
    }
}

/// `divan index suggest`.
enum IndexSuggestCommand: Command {
    static let syntax = CommandSyntax(
        name: "index suggest",
        summary: "tell which indexes a query lacks",
        operands: [.database, .init(name: "SELECT")],
        options: [.json],
        details:
            "Prints the lines that make them. The query is planned as if they were there, so that it is "
            + "known that they are used: for conditions, also behind OR, JOIN and COLLATE NOCASE, for "
            + "UNNEST and ANY … SATISFIES, for ORDER BY, GROUP BY and DISTINCT. Where none would help "
            + "nothing is printed, and standard error says why.",
        examples: ["divan index suggest travel 'SELECT name FROM _ WHERE city = $c ORDER BY name'"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let session = try QuerySession(arguments.database)
        defer { session.close() }
        let query = try session.query(arguments.operands[1])
        switch try IndexSuggestion.search(for: query, in: session.store) {
        case .present(let names):
            let list = names.map { "\($0)" }.joined(separator: ", ")
            terminal.done(
                besideResults: "It has \(names.count == 1 ? "one" : "them"): \(list)",
                ["present": .array(names.map { .string("\($0)") })]
            )
        case .useless(let reason):
            terminal.done(
                besideResults: "No index would help: \(reason)",
                ["useless": .string("\(reason)")]
            )
        case .missing(let found):
            for index in found {
                terminal.result(
                    terminal.isJSON ? json(index) : line(index, of: arguments.operands[0])
                )
            }
        }
    }

    private static func json(_ index: IndexSuggestion) -> String {
        var members: JSONObject = [
            "collection": .string(index.collection.wireName), "name": .string(index.name),
            "expressions": .array(index.expressions.map { .string($0) }),
        ]
        if let path = index.arrayPath { members["array"] = .string(path) }
        return JSON.object(members).canonicalText
    }

    private static func line(_ index: IndexSuggestion, of database: String) -> String {
        var words = [
            "divan index make", database.wordForShell, index.name, "-c", index.collection.wireName,
        ]
        if let path = index.arrayPath { words += ["--array", path.quotedForShell] }
        return (words + index.expressions.map(\.quotedForShell)).joined(separator: " ")
    }
}

extension Terminal {
    /// Builds indexes on this many documents: shows the progress, and stops at Ctrl-C; `rest` then says
    /// what is left.
    func watchingIndex(
        of documentCount: UInt64,
        rest: String,
        _ make: (IndexWatch) throws -> Void
    ) throws {
        let progress = ProgressLine(self, verb: "indexed")
        defer { progress.finish() }
        let watch = IndexWatch { share in
            let documents = UInt64(Double(documentCount) * share)
            progress.show(ProgressLine.Reading(documents: documents, total: documentCount))
        }
        let interruption = Interruption.forVerb()
        interruption.onRequest { watch.cancel() }
        do {
            try withExtendedLifetime(interruption) { try make(watch) }
        } catch is CancellationError {
            throw Failure.stopped(by: interruption.cause, leaving: rest)
        }
    }
}
