import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanQuery
import DivanRevisions

/// `divan search`.
enum SearchCommand: Command {
    static let syntax = CommandSyntax(
        name: "search",
        summary: "find documents by words and by meaning",
        operands: [.database, .init(name: "TEXT")],
        options: [
            .collection.grouped(.filters),
            .value("--model", "COMMAND", "the command that turns TEXT into a vector"),
            .value("--where", "CONDITION", "only documents that match this SQL++ condition")
                .grouped(.filters),
            .value("--limit", "N", "list at most N documents (default: 10)").grouped(.filters),
            .flag("--body", "show the body of each document").grouped(.output),
            .json,
        ],
        details: """
            Searches the full-text indexes of the collection for the words of TEXT, which may also
            use the syntax of MATCH. With --model, also searches its vector indexes for the nearest
            vectors. Each index contributes its first 100 documents. Documents that several indexes
            rank high come first (reciprocal rank fusion).

            The shell runs COMMAND with TEXT as its input. It must print the vector as a JSON array
            of numbers. Use the model that computed the vectors of the documents.
            """,
        examples: [
            "divan search travel 'quiet beach' -c travel.hotels",
            "divan search travel 'quiet beach' -c travel.hotels --model ./embed.py",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let limit = try arguments.number("--limit", in: 1...Search.listLength) ?? 10
        var session = try QuerySession(arguments.database)
        defer { session.close() }
        try arguments.database.require([collection], in: session.store)
        let text = arguments.operands[1]
        guard !text.allSatisfy(\.isWhitespace) else {
            throw Failure.usage("divan search: argument TEXT is empty")
        }
        var search = Search(collection, where: arguments.value("--where"))
        let indexes = try session.store.read { try $0.indexes(in: collection) }
        let (words, vectors) = (
            indexes.filter { $0.kind == .fullText }, indexes.compactMap(\.vectors)
        )
        let model = arguments.value("--model").map { TextModel(command: $0) }
        try requireIndex(words, vectors, model, arguments, collection)
        for index in words { try search.add(wordsOf: index, text, &session) }
        if let model {
            let vector = try model.vector(of: text)
            for index in vectors { try search.add(nearestIn: index, vector, &session) }
        }
        let isWhole = arguments.has("--body")
        try session.store.read { reader in
            try terminal.results { line in
                for hit in search.hits.prefix(limit) {
                    let body =
                        isWhole ? try reader.document(hit.documentID, in: collection)?.body : nil
                    try line(terminal.isJSON ? try hit.json(body: body) : hit.line(body: body))
                }
            }
        }
        if search.hits.isEmpty { terminal.note("No documents found") }
    }

    /// Explains why nothing could be found.
    private static func requireIndex(
        _ words: [StoredIndex],
        _ vectors: [QueryVectorIndex],
        _ model: TextModel?,
        _ arguments: Arguments,
        _ collection: CollectionPath
    ) throws(Failure) {
        if model != nil, vectors.isEmpty {
            throw Failure(
                kind: .notFound,
                sentence: "collection '\(collection.wireName)' has no vector index for '--model'",
                hint: "create one with 'divan index make … --vector N', or leave '--model' out"
            )
        }
        guard words.isEmpty, model == nil else { return }
        let place = "\(arguments.database.word) words -c \(collection.wireName.wordForShell)"
        throw Failure(
            kind: .notFound,
            sentence: "collection '\(collection.wireName)' has no full-text index",
            hint: vectors.isEmpty
                ? "create one with 'divan index make \(place) PROPERTY --text'"
                : "to search its vector index, add '--model COMMAND'"
        )
    }
}

extension Search.Hit {
    fileprivate func line(body: [UInt8]?) -> String {
        let ranks = ranks.map { "\($0.index) \($0.rank)" }.joined(separator: ", ")
        let score = Numbers.decimal(score * 1_000, places: 1)
        let padding = String(repeating: " ", count: max(0, 5 - score.count))
        let start = "\(padding)\(score)  \(documentID.text)  (\(ranks))".escapingControlCharacters()
        return start + (body.map { "  " + String(decoding: $0, as: UTF8.self) } ?? "")
    }

    fileprivate func json(body: [UInt8]?) throws -> String {
        var members: JSONObject = [
            "id": .string(documentID.text), "score": .double(score),
            "ranks": .object(
                ranks.reduce(into: JSONObject()) { $0[$1.index] = JSON($1.rank) }
            ),
        ]
        if let body { members["body"] = (try? JSON(storedBody: body)) ?? .null }
        return JSON.object(members).canonicalText
    }
}
