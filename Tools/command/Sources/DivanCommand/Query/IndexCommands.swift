@_spi(Stores) import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanQuery

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
                return terminal.note(try absence(arguments, store))
            }
            let remedy = "damaged, not used by queries; 'divan index make' recreates it"
            let rows =
                try indexes.map {
                    (left: $0.name.text, right: $0.line + (try $0.training(collection, store)))
                }
                + damaged.map { (left: $0.text, right: remedy) }
            return terminal.result(Columns.aligned(rows, indent: ""))
        }
        for index in indexes {
            var object: JSONObject = [
                "name": .string(index.name.text), "type": .string(index.kind.rawValue),
                "source": .string(index.summary),
            ]
            if let state = try store.vectorIndexState(index.name, in: collection) {
                object["trained"] = .bool(state.isTrained)
            }
            terminal.result(JSON.object(object).canonicalText)
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
        guard !arguments.has("--collection") else { return "No indexes" }
        let others = try store.read { reader in
            try reader.collections().filter { path in
                try path != .default && !reader.indexes(in: path).isEmpty
            }
        }.map(\.wireName)
        guard let first = others.first else { return "No indexes" }
        let more = others.count > hintCount ? " and \(others.count - hintCount) more" : ""
        return "No indexes in the default collection; other collections have some: "
            + "\(others.prefix(hintCount).joined(separator: ", "))\(more)\n"
            + "hint: run 'divan index ls \(arguments.database.word.escapingControlCharacters()) "
            + "-c \(first)'"
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
            case .vector: "vector"
            case .predictive: "predictive"
            }
        return "\(sort): \(summary)"
    }
}

/// `divan index make`.
enum IndexMakeCommand: Command {
    static let syntax = CommandSyntax(
        name: "index make",
        aliases: ["mkindex"],
        summary: "create an index",
        operands: [
            .database, .init(name: "NAME"),
            .init(name: "EXPRESSION", isOptional: true, isRepeating: true),
        ],
        options: [
            .collection,
            .value("--where", "CONDITION", "index only documents that match this condition"),
            .flag("--text", "create a full-text index, for MATCH"),
            .value("--language", "CODE", "the language of the text (with --text)"),
            .flag("--ignore-accents", "treat café and cafe as the same word (with --text)"),
            .value("--array", "PATH", "index array items at this path, such as contacts[].phones"),
            .value("--vector", "N", "index vectors with N dimensions, for APPROX_VECTOR_DISTANCE"),
        ] + VectorIndexOptions.syntax,
        details: """
            EXPRESSION is SQL++. An existing index of the same name is replaced. With --array and
            without EXPRESSION, the items themselves are indexed. If you press Ctrl-C, the indexes
            stay unchanged, or a vector index is trained by later searches.

            With --vector, EXPRESSION is an array of numbers, or base64 text of little-endian
            32-bit floats. The index is trained immediately if there are 25 vectors for each
            centroid. Otherwise it is trained later, when a program runs a query and there are
            enough.
            """,
        examples: [
            "divan index make travel byCity -c travel.hotels city 'LOWER(name)'",
            "divan index make travel words -c travel.hotels story --text --language en",
            "divan index make travel near -c travel.hotels embedding --vector 384",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let expressions = Array(arguments.operands.dropFirst(2))
        let config = try config(arguments, expressions)
        let vectors = try VectorIndexOptions(arguments, expressions)
        let name = try arguments.collection()
        let database = try arguments.database.openDatabase()
        defer { try? database.close() }
        let advice = IndexAdvice(arguments)
        if try database.collection(name) == nil,
            let hint = try advice.hint(forMissing: name, in: database)
        {
            throw Failure(
                kind: .notFound,
                sentence: "collection '\(name)' does not exist",
                hint: hint
            )
        }
        let collection = try database.collections(named: [name])[0]
        try terminal.watchingIndex(of: collection.count, rest: "the indexes are unchanged") {
            control in
            try collection.createIndex(
                withName: arguments.operands[1],
                config: vectors?.configuration(forDocuments: collection.count) ?? config,
                control: control
            )
        }
        if vectors != nil {
            let index = ExactText(arguments.operands[1])
            try terminal.trainingIndex { isCancelled in
                let store = try database.openStore()
                try store.trainVectorIndex(
                    index,
                    in: CollectionPath(name),
                    isCancelled: isCancelled
                )
            }
        }
        terminal.done(
            "Created index \(arguments.operands[1]) of \(name)",
            ["made": .string(arguments.operands[1]), "collection": .string("\(name)")]
        )
        if let sentence = try advice.sentence(of: collection, in: database) {
            terminal.warn(sentence)
        }
    }

    /// Refuses options that would create another index than intended.
    private static func check(_ arguments: Arguments) throws(Failure) {
        for other in ["--text", "--where"] where arguments.has("--array") && arguments.has(other) {
            throw .usage("'--array' and '\(other)' cannot be combined")
        }
        for option in ["--language", "--ignore-accents"]
        where arguments.has(option) && !arguments.has("--text") {
            throw .usage("'\(option)' requires '--text'")
        }
    }

    private static func config(
        _ arguments: Arguments,
        _ expressions: [String]
    ) throws(Failure) -> any IndexConfiguration {
        guard !expressions.contains("") else {
            throw .usage("divan index make: argument EXPRESSION is empty")
        }
        try check(arguments)
        if let path = arguments.value("--array") {
            return ArrayIndexConfiguration(
                path: path,
                expressions: expressions.isEmpty ? nil : expressions
            )
        }
        guard !expressions.isEmpty else {
            throw .usage("divan index make: missing argument EXPRESSION")
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
        summary: "remove an index",
        operands: [.database, .init(name: "NAME")],
        options: [.collection, .unneededYes, .dryRun],
        details: """
            Does not ask for confirmation. 'divan index make' creates the index again.
            """,
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
            throw Failure(
                kind: .notFound,
                sentence: "index '\(name)' not found in collection '\(collection.wireName)'",
                hint: place.map { "an index of this name is in \($0); use '-c \($0)'" }
                    ?? "run 'divan index ls' to list the indexes"
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
        details: """
            Use it if 'divan check' reports an index that does not match the documents. Rebuilds
            all indexes, including the index of document IDs, and compares them with the documents.
            Also updates the statistics that SQLite uses to plan queries.

            If damage to the index of document IDs caused a document to be stored twice, the later
            version is kept. A warning shows the document.
            """,
        examples: ["divan index rebuild travel"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        let documentCount = try store.read { try $0.documentCount() }
        var (count, twice) = (0, [String]())
        let rest = "each collection has either its old or its new indexes"
        try terminal.watchingIndex(of: UInt64(documentCount), rest: rest) { control in
            count = try store.reindex(control: control) { twice.append($0) }
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
        summary: "suggest indexes for a query",
        operands: [.database, .init(name: "SELECT")],
        options: [.json],
        details: """
            Prints the commands that create them, after checking that SQLite would use the indexes.
            Considers conditions, including OR, JOIN and COLLATE NOCASE, UNNEST and ANY …
            SATISFIES, ORDER BY, GROUP BY and DISTINCT. If no index would help, the reason is
            printed to standard error.
            """,
        examples: ["divan index suggest travel 'SELECT name FROM _ WHERE city = $c ORDER BY name'"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let session = try QuerySession(arguments.database)
        defer { session.close() }
        let query = try session.query(arguments.operands[1])
        switch try session.store.suggestIndexes(for: query) {
        case .present(let names):
            let list = names.map { "\($0)" }.joined(separator: ", ")
            let indexes = names.count == 1 ? "index" : "indexes"
            terminal.done(
                besideResults: "The query already uses the \(indexes) \(list)",
                ["present": .array(names.map { .string("\($0)") })]
            )
        case .useless(let reason):
            terminal.done(
                besideResults: "No index would help: \(reason)",
                ["useless": .string("\(reason)")]
            )
        case .missing(let found):
            for suggestion in found {
                terminal.result(
                    terminal.isJSON
                        ? json(suggestion) : line(suggestion, of: arguments.operands[0])
                )
            }
        }
    }

    private static func json(_ suggestion: IndexSuggestion) -> String {
        var members: JSONObject = [
            "collection": .string(suggestion.index.collection.wireName),
            "name": .string("\(suggestion.index.name)"),
            "expressions": .array(suggestion.expressions.map { .string($0) }),
        ]
        if let path = suggestion.arrayPath { members["array"] = .string(path) }
        return JSON.object(members).canonicalText
    }

    private static func line(_ suggestion: IndexSuggestion, of database: String) -> String {
        var words = [
            "divan index make", database.wordForShell, "\(suggestion.index.name)", "-c",
            suggestion.index.collection.wireName,
        ]
        if let path = suggestion.arrayPath { words += ["--array", path.quotedForShell] }
        return (words + suggestion.expressions.map(\.quotedForShell)).joined(separator: " ")
    }
}

extension Terminal {
    /// Builds indexes on this many documents: shows the progress, and stops at Ctrl-C; `rest` then says
    /// what is left.
    func watchingIndex(
        of documentCount: UInt64,
        rest: String,
        _ make: (IndexBuildControl) throws -> Void
    ) throws {
        let progress = ProgressLine(self, verb: "indexed")
        defer { progress.finish() }
        let control = IndexBuildControl { share in
            let documents = UInt64(Double(documentCount) * share)
            progress.show(ProgressLine.Reading(documents: documents, total: documentCount))
        }
        let interruption = Interruption.forVerb()
        interruption.onRequest { control.cancel() }
        do {
            try withExtendedLifetime(interruption) { try make(control) }
        } catch is CancellationError {
            throw Failure.stopped(by: interruption.cause, leaving: rest)
        }
    }

    /// Trains a vector index; stops at Ctrl-C.
    fileprivate func trainingIndex(_ train: (_ isCancelled: () -> Bool) throws -> Void) throws {
        let interruption = Interruption.forVerb()
        do {
            try train { interruption.isRequested }
        } catch is CancellationError {
            let rest = "the index is created, and searches train it"
            throw Failure.stopped(by: interruption.cause, leaving: rest)
        }
    }
}
