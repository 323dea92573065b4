import DivanFullText
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanStore

/// Queries on 100,000 documents of 1.2 KB, whole result read; the bounds are those of the reference
/// engine on the same machine, or what users wait for.
enum QueryFigures {
    private static let count = 100_000
    private static let words = [
        "light", "wooden", "chair", "table", "oak", "beech", "stacks", "blue",
    ]

    static func measure(in directory: String, into report: inout Report) throws {
        let store = try Store.open(directory: "\(directory)/queries.cblite2")
        defer { try? store.close() }
        try fill(store)
        let scans: [(name: String, sql: String, most: Double)] = [
            ("count where a number, early key", "SELECT COUNT(*) FROM _ WHERE active = true", 45),
            ("count where a nested string", "SELECT COUNT(*) FROM _ WHERE dims.city = 'c5'", 45),
            ("count where a number, late key", "SELECT COUNT(*) FROM _ WHERE zone = 7", 45),
            ("LIKE '%…%'", "SELECT COUNT(*) FROM _ WHERE name LIKE '%99%'", 50),
            ("ORDER BY … LIMIT 20", "SELECT name FROM _ ORDER BY price LIMIT 20", 46),
            ("20 groups with a sum", "SELECT kind, SUM(price) FROM _ GROUP BY kind", 90),
            ("UNNEST", "SELECT COUNT(*) FROM _ AS d UNNEST d.parts AS p WHERE p.n = 'n7'", 67),
            ("three properties of all rows", "SELECT name, price, maker FROM _", 100),
            ("SELECT * of all rows", "SELECT * FROM _", 100),
        ]
        for scan in scans {
            try add("\(scan.name), no index", scan.sql, on: store, most: scan.most, to: &report)
        }
        let first = try Stopwatch.best { _ = try rows(of: "SELECT name FROM _", store).next() }
        report.add(figure("first row of a scan", first, most: 1))
        try measureIndexes(store, into: &report)
    }

    private static func measureIndexes(_ store: Store, into report: inout Report) throws {
        try addIndex(
            "value",
            .value([CheckedKey(property("price"))], filter: nil),
            75,
            store,
            &report
        )
        let item = CheckedKey(.property(source: 1, "n"))
        try addIndex("array", .array(["parts"], [item]), 300, store, &report)
        let column = QueryIndexDefinition.FullTextColumn(name: "story", property("story"))
        let tokenizer = FullText.tokenizer(language: "en", ignoresAccents: false)
        try addIndex(
            "full-text",
            .fullText([column], tokenizer: tokenizer, filter: nil),
            1_200,
            store,
            &report
        )
        let queries: [(name: String, sql: String, most: Double)] = [
            ("equality, 100 rows", "SELECT name FROM _ WHERE price = 7", 0.5),
            ("count of 1 %", "SELECT COUNT(*) FROM _ WHERE price BETWEEN 10 AND 19", 0.5),
            ("UNNEST", "SELECT COUNT(*) FROM _ AS d UNNEST d.parts AS p WHERE p.n = 'n7'", 1),
            ("ANY", "SELECT COUNT(*) FROM _ WHERE ANY p IN parts SATISFIES p.n = 'n7' END", 1),
            ("two words, count", "SELECT COUNT(*) FROM _ WHERE MATCH(story, 'oak blue')", 2),
        ]
        for query in queries {
            try add("\(query.name), index", query.sql, on: store, most: query.most, to: &report)
        }
    }

    private static func property(_ name: ExactText) -> CheckedExpression {
        .property(source: 0, QueryPath([.key(name)]))
    }

    private static func addIndex(
        _ kind: String,
        _ definition: QueryIndexDefinition,
        _ most: Double,
        _ store: Store,
        _ report: inout Report
    ) throws {
        let name: ExactText = kind == "full-text" ? "story" : ExactText(kind)
        let time = try Stopwatch.best(of: 1) {
            try store.write { try $0.createIndex(name, definition, in: .default) }
        }
        report.add(figure("make an index of sort \(kind)", time, most: most))
    }

    private static func add(
        _ name: String,
        _ sql: String,
        on store: Store,
        most: Double,
        to report: inout Report
    ) throws {
        let time = try Stopwatch.best(of: 5) {
            let rows = try rows(of: sql, store)
            while try rows.next() != nil {}
        }
        report.add(figure(name, time, most: most))
    }

    private static func figure(_ name: String, _ seconds: Double, most: Double) -> Figure {
        Figure(
            name: "query: \(name)",
            unit: "ms",
            ours: seconds * 1_000,
            floor: nil,
            floorName: "100,000 documents of 1.2 KB",
            must: .atMost(most)
        )
    }

    private static func rows(of sql: String, _ store: Store) throws -> StorageRows {
        let statement = try QueryStatement(sql: sql).checked(against: AnyCatalogue(), text: sql)
        return try store.rows(of: StorageQuery(statement))
    }

    /// Says that everything is there.
    private struct AnyCatalogue: QueryCatalogue {
        var databaseName: ExactText { "queries" }
        func hasCollection(_ collection: QueryCollection) -> Bool { true }
        func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) -> Bool { true }
    }

    // MARK: Documents

    private static func fill(_ store: Store) throws {
        for start in stride(from: 0, to: count, by: 1_000) {
            try store.write { writer in
                for number in start..<start + 1_000 {
                    _ = try writer.save(
                        DocumentID(unchecked: "doc-\(number)"),
                        in: .default,
                        body: try body(number).canonicalBytes()
                    )
                }
            }
        }
    }

    private static func body(_ number: Int) -> JSON {
        let story = (0..<150).map { words[(number &* 31 &+ $0 &* $0) % words.count] }
        return [
            "active": .bool(number % 2 == 0),
            "dims": ["city": .string("c\(number % 97)"), "w": .int(Int64(number % 50))],
            "kind": .string("k\(number % 20)"), "maker": .string("m\(number % 31)"),
            "name": .string("Chair \(number)"),
            "parts": [
                ["n": .string("n\(number % 500)"), "qty": 4],
                ["n": "seat", "qty": 1],
            ],
            "price": .int(Int64(number % 1_000)), "story": .string(story.joined(separator: " ")),
            "zone": .int(Int64(number % 100)),
        ]
    }
}
