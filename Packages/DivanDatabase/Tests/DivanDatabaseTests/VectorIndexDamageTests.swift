import DivanJSON
import DivanQuery
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Damage in the tables of vector indexes: found by the check, repaired by `reindex`.
@Suite struct VectorIndexDamageTests {
    private static let table = "docs_1_vectors_76"

    private let home: TemporaryDirectory
    private let path: String

    /// Sets a member of the state of the training.
    private static func state(_ name: String, _ value: String) -> String { set(name, value, in: 1) }

    /// Sets a parameter of the index.
    private static func option(_ name: String, _ value: String) -> String {
        set(name, value, in: 0)
    }

    private static func set(_ name: String, _ value: String, in part: Int) -> String {
        """
        UPDATE \(table)_parts SET value = json_set(value, '$.\(name)', json('\(value)'))
        WHERE number = \(part)
        """
    }

    init() throws {
        home = try TemporaryDirectory()
        path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        var generator = SeededGenerator(seed: 3)
        try store.write { writer in
            for number in 0..<60 {
                let vector = (0..<4).map { _ in Float.random(in: -1...1, using: &generator) }
                let id = DocumentID(unchecked: "doc-\(number)")
                _ = try writer.save(id, in: .default, body: Array(#"{"v":\#(vector)}"#.utf8))
            }
            let vector = try QueryExpression(sql: "v").checked(over: .standard)
            let options = QueryVectorOptions(dimensions: 4, centroidCount: 2)
            let index = QueryVectorIndex(name: "v", expression: "v", options: options)
            try writer.createIndex(
                "v",
                .vector(vector, options),
                source: index.source,
                in: .default
            )
        }
        #expect(try nearest(store).count == 5)
        #expect(try store.vectorIndexState("v", in: .default)?.isTrained == true)
        try store.checkIntegrity()
        try store.close()
    }

    private func nearest(_ store: Store) throws -> [QueryValue] {
        let sql = """
            SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, [0.5, 0, 0, 0]) LIMIT 5
            """
        return try store.rows(of: sql).map { $0[0] }
    }

    @Test(arguments: [
        "DELETE FROM \(table) WHERE owner = 7",
        "UPDATE \(table) SET owner = 1000 WHERE owner = 7",
        "UPDATE \(table) SET vector = zeroblob(16) WHERE owner = 7",
        "DELETE FROM \(table)_blocks",
        "UPDATE \(table)_blocks SET entries = zeroblob(length(entries))",
        "UPDATE \(table)_blocks SET entries = zeroblob(length(entries) - 1)",
        "UPDATE \(table)_blocks SET entries = zeroblob(3)",
        "UPDATE \(table)_blocks SET entries = zeroblob(4) || substr(entries, 5)",
        "UPDATE \(table)_blocks SET id = id + 16777216",
        "INSERT INTO \(table)_blocks SELECT id + 1, entries FROM \(table)_blocks",
        "UPDATE \(table)_parts SET value = '{}' WHERE number = 1",
        state("slot", "1"), state("slot", "2"), state("slot", "-1"), state("placed", "1"),
        "INSERT INTO \(table)_parts SELECT 2, value FROM \(table)_parts WHERE number = 1",
        "INSERT INTO \(table)_parts SELECT 2, json_set(value, '$.slot', 1) FROM \(table)_parts WHERE number = 1",
        state("codes", "281474976710656"), state("codes", "-1"), state("codes", "9e99"),
        state("placed", "9223372036854775807"), state("placed", "-9223372036854775808"),
        state("version", "9223372036854775807"), state("probes", "-9223372036854775808"),
        state("probes", "9223372036854775807"), state("identity", "7"),
        option("centroids", "4611686018427387904"), option("centroids", "-1"),
        option("dimensions", "0"), option("dimensions", "4611686018427387904"),
        option("bits", "62"), option("subquantizers", "2"), option("maxTraining", "-1"),
        option("metric", "\"dot\""), option("centroids", "3"), option("bits", "4"),
        "UPDATE \(table)_blocks SET id = id - 4611686018427387904",
        "UPDATE \(table)_blocks SET id = -1 - id",
        "UPDATE \(table)_blocks SET id = id + 1099511627776",
        "UPDATE \(table)_blocks SET id = id + 2199023255552",
        "UPDATE \(table) SET number = -7 WHERE owner = 7",
        "UPDATE \(table) SET number = 9223372036854775807 WHERE owner = 7",
        "UPDATE \(table) SET vector = x'00'",
        "DELETE FROM \(table)_parts WHERE number = 1",
        "UPDATE \(table)_parts SET value = zeroblob(length(value)) WHERE number = 1048576",
        "UPDATE \(table)_parts SET value = zeroblob(length(value)) WHERE number = 1048577",
        "DELETE FROM \(table)_parts WHERE number = 1048577",
        "UPDATE \(table)_parts SET value = '{}' WHERE number = 0",
    ])
    func `a damaged vector index is detected, and reindexing repairs it`(sql: String) throws {
        try StoreConnection(path: path + "/db.sqlite3", mode: .readWrite).execute(sql)
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        #expect(throws: StoreError.self) { try store.checkIntegrity() }
        #expect(try !store.inspect().damages.isEmpty)
        // What is wrong may be found, but must not end the process.
        _ = try? nearest(store)
        for number in 0..<3 {
            let body = Array(#"{"v":[\#(number),1,1,1]}"#.utf8)
            _ = try? store.save(DocumentID(unchecked: "doc-\(number)"), in: .default, body: body)
            _ = try? nearest(store)
        }
        let upkeep = VectorUpkeep(freshCount: 0)
        // Some damage causes the same work again and again.
        for _ in 0..<20 {
            let work = try? store.nextWork(on: VectorIndexPath(.default, "v"), upkeep)
            guard let work, let change = try? work.work.finish(isCancelled: { false }) else {
                break
            }
            let index = VectorIndexPath(.default, "v")
            try? store.write { try $0.change(index, from: work.source, change) }
        }
        _ = try store.reindex()
        try store.checkIntegrity()
        #expect(try nearest(store).count == 5)
        #expect(try store.vectorIndexState("v", in: .default)?.isTrained == true)
        try store.checkIntegrity()
    }
}
