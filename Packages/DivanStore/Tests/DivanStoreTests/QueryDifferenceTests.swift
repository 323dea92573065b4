import DivanJSON
import DivanQuery
import DivanRevisions
import DivanStore
import DivanTestKit
import FoundationEssentials
import Testing

@Suite("Queries answered in four ways")
struct QueryDifferenceTests {
    private static let collections = [
        QueryCollection.standard, QueryCollection(scope: "_default", name: "other"),
    ]

    /// How many queries; `DIVAN_QUERIES` asks for more.
    private static var queryCount: Int {
        ProcessInfo.processInfo.environment["DIVAN_QUERIES"].flatMap { Int($0) } ?? 1_000
    }

    @Test("SQLite with indexes, without, in memory and a plain evaluator give the same rows")
    func difference() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed: \(seed)")
        var (queries, round) = (0, UInt64(0))
        while queries < Self.queryCount {
            var maker = QueryMaker(SeededGenerator(seed: seed &+ round))
            let documents = Dictionary(
                uniqueKeysWithValues: Self.collections.map {
                    ($0, (0..<24).map { _ in maker.document() })
                }
            )
            let rooms = try ["plain", "indexed", "sealed", "memory"].map { try room($0, documents) }
            for _ in 0..<100 {
                queries += 1
                let statement = maker.statement(over: Self.collections)
                let oracle = Oracle(statement: statement, documents: try rooms[0].1())
                let expected = try Self.sorted(oracle.rows(), statement)
                for (index, room) in rooms.enumerated() {
                    let found = try Self.sorted(rows(of: statement, in: room.0), statement)
                    try #require(
                        found == expected,
                        "seed \(seed &+ round), room \(index): \(statement)"
                    )
                }
            }
            round += 1
        }
    }

    /// A store with the documents, and what the evaluator needs of them.
    private func room(
        _ form: String,
        _ documents: [QueryCollection: [JSON]]
    ) throws -> (Room, () throws -> [QueryCollection: [Oracle.Document]]) {
        let room = try Room(form == "memory" ? .memory : form == "sealed" ? .sealed : .file)
        var found: [QueryCollection: [Oracle.Document]] = [:]
        for collection in Self.collections {
            let path = try #require(CollectionPath(collection))
            try room.store.createCollection(path)
            if form != "plain" { try makeIndexes(in: path, of: room.store) }
            for (number, body) in (documents[collection] ?? []).enumerated() {
                let id = "d\(number)"
                let bytes = try body.canonicalBytes()
                try room.store.write {
                    _ = try $0.save(DocumentID(checking: id), in: path, body: bytes)
                }
                let document = Oracle.Document(id: id, sequence: Int64(number + 1), body: body)
                found[collection, default: []].append(document)
            }
        }
        return (room, { found })
    }

    private func makeIndexes(in path: CollectionPath, of store: Store) throws {
        let keys: [CheckedExpression] = [.property(source: 0, "a"), .property(source: 0, "b")]
        let isValued = CheckedExpression.comparison(
            .greater,
            .property(source: 0, "b"),
            .literal(.integer(0)),
            .binary
        )
        try store.write { writer in
            try writer.createIndex("a", .value([CheckedKey(keys[0])], filter: nil), in: path)
            try writer.createIndex(
                "ba",
                .value([CheckedKey(keys[1]), CheckedKey(keys[0])], filter: isValued),
                in: path
            )
            try writer.createIndex("list", .array(["list"], []), in: path)
            let item = CheckedKey(.property(source: 1, "a"))
            try writer.createIndex("items", .array(["a"], [item]), in: path)
        }
    }

    private func rows(of statement: CheckedStatement, in room: Room) throws -> [[JSON?]] {
        let rows = try room.store.rows(of: StorageQuery(statement))
        var found: [[JSON?]] = []
        while let row = try rows.next() {
            found.append(row.map { $0 == .missing ? nil : $0.vector })
        }
        return found
    }

    /// Rows as text; in order only where the query gives them one.
    private static func sorted(
        _ rows: [[JSON?]],
        _ statement: CheckedStatement
    ) throws -> [String] {
        let texts = try rows.map { row in
            try row.map { value in
                // Numbers are the same by value.
                if let number = value?.double { return "\(number == 0 ? 0 : number)" }
                return try value.map { String(decoding: try $0.canonicalBytes(), as: UTF8.self) }
                    ?? "–"
            }.joined(separator: " | ")
        }
        return statement.limit == nil ? texts.sorted() : texts
    }
}
