import CDivanFloors
import DivanDatabase
import DivanFullText
import DivanJSON
import DivanQuery

/// Creating indexes, querying with them, and saving with them.
enum QueryIndexFigures {
    static func measure(_ bench: QueryBench, into report: inout Report) throws {
        try measureMaking(bench, into: &report)
        let (common, left, right) = (word(0), word(8 * 9), word(8 * 12))
        for question in indexed + fullText(common, left, right) {
            try bench.compare(question.name, question.query, question.sql, to: &report)
        }
        try measureSaving(bench, into: &report)
    }

    private static func word(_ number: Int) -> String { QueryDocuments.word(number) }

    // MARK: Creating

    private static func property(_ name: ExactText) -> CheckedExpression {
        .property(source: 0, QueryPath([.key(name)]))
    }

    private static func values(_ names: [ExactText]) -> QueryIndexDefinition {
        .value(names.map { CheckedKey(property($0)) }, filter: nil)
    }

    private static func measureMaking(
        _ bench: QueryBench,
        into report: inout Report
    ) throws {
        let raw = { (path: String) in
            "CREATE INDEX by_\(path) ON docs (json_extract(body, '$.\(path)'))"
        }
        try make("value", values(["price"]), raw("price"), "DROP INDEX by_price", bench, &report)
        let item = CheckedKey(.property(source: 1, "n"))
        let items = """
            CREATE TABLE parts AS SELECT docs.seq AS owner, json_extract(p.value, '$.n') AS n
                FROM docs, json_each(docs.body, '$.parts') AS p;
            CREATE INDEX parts_by_n ON parts (n);
            """
        try make("array", .array(["parts"], [item]), items, "DROP TABLE parts", bench, &report)
        let column = QueryIndexDefinition.FullTextColumn(name: "story", property("story"))
        let tokenizer = FullText.tokenizer(language: "en", ignoresAccents: false)
        let words = """
            CREATE VIRTUAL TABLE words USING fts5(story, tokenize = 'porter unicode61');
            INSERT INTO words (rowid, story) SELECT seq, json_extract(body, '$.story') FROM docs;
            """
        let fullText = QueryIndexDefinition.fullText([column], tokenizer: tokenizer, filter: nil)
        try make("story", fullText, words, "DROP TABLE words", bench, &report)
        try bench.store.write { writer in
            for name in ["unique", "zone", "maker"] as [ExactText] {
                try writer.createIndex(name, values([name]), in: .default)
            }
        }
        for path in ["unique", "zone", "maker"] { try bench.floor.change(raw(path)) }
    }

    private static let makingTurns = 3

    private static func make(
        _ name: ExactText,
        _ definition: QueryIndexDefinition,
        _ create: String,
        _ drop: String,
        _ bench: QueryBench,
        _ report: inout Report
    ) throws {
        var (floor, time) = (Double.infinity, Double.infinity)
        for turn in 0..<makingTurns {
            if turn > 0 {
                try bench.floor.change(drop)
                try bench.store.write { try $0.deleteIndex(name, in: .default) }
            }
            floor = min(floor, try bench.floor.change(create))
            let turnTime = try Stopwatch.bestWork(of: 1) {
                try bench.store.write { try $0.createIndex(name, definition, in: .default) }
            }
            time = min(time, turnTime)
        }
        bench.add("make index \(name.text)", time, floor: floor, to: &report)
    }

    // MARK: Querying

    private static let indexed: [QueryBench.Question] = [
        (
            "equality, 1 row, index", "SELECT name FROM _ WHERE `unique` = 77777",
            """
            SELECT json_extract(body, '$.name') FROM docs
            WHERE json_extract(body, '$.unique') = 77777
            """
        ),
        (
            "equality, 1 % of rows, index", "SELECT META().id FROM _ WHERE zone = 7",
            "SELECT id FROM docs WHERE json_extract(body, '$.zone') = 7"
        ),
        (
            "count of 1 %, index", "SELECT COUNT(*) FROM _ WHERE price BETWEEN 10 AND 19",
            "SELECT count(*) FROM docs WHERE json_extract(body, '$.price') BETWEEN 10 AND 19"
        ),
        (
            "LIKE 'doc-49…%', index", "SELECT COUNT(*) FROM _ WHERE maker LIKE 'doc-499%'",
            "SELECT count(*) FROM docs WHERE json_extract(body, '$.maker') >= 'doc-499' "
                + "AND json_extract(body, '$.maker') < 'doc-49:'"
        ),
        (
            "UNNEST, index", "SELECT COUNT(*) FROM _ AS d UNNEST d.parts AS p WHERE p.n = 'n7'",
            "SELECT count(*) FROM parts JOIN docs ON seq = owner WHERE n = 'n7'"
        ),
        (
            "ANY, index", "SELECT COUNT(*) FROM _ WHERE ANY p IN parts SATISFIES p.n = 'n7' END",
            "SELECT count(*) FROM docs WHERE seq IN (SELECT owner FROM parts WHERE n = 'n7')"
        ),
        (
            "JOIN on ID, filter with index",
            """
            SELECT COUNT(*) FROM _ AS d JOIN _ AS m ON META(m).id = d.maker
            WHERE d.zone = 7 AND m.active = true
            """,
            """
            SELECT count(*) FROM docs AS d JOIN docs AS m ON m.id = json_extract(d.body, '$.maker')
            WHERE json_extract(d.body, '$.zone') = 7 AND json_extract(m.body, '$.active') = 1
            """
        ),
    ]

    private static func fullText(
        _ common: String,
        _ left: String,
        _ right: String
    ) -> [QueryBench.Question] {
        func ranked(_ words: String) -> (String, String) {
            (
                """
                SELECT META().id FROM _ WHERE MATCH(story, '\(words)')
                ORDER BY RANK(story) DESC LIMIT 20
                """,
                """
                SELECT id FROM words JOIN docs ON seq = words.rowid WHERE words MATCH '\(words)'
                ORDER BY words.rank LIMIT 20
                """
            )
        }
        let two = ranked("\(left) \(right)")
        let one = ranked(common)
        return [
            ("two words, ranked", two.0, two.1),
            (
                "two words, count",
                "SELECT COUNT(*) FROM _ WHERE MATCH(story, '\(left) \(right)')",
                "SELECT count(*) FROM words WHERE words MATCH '\(left) \(right)'"
            ),
            ("a common word, ranked", one.0, one.1),
        ]
    }

    // MARK: Saving

    /// How much slower saving becomes with indexes, here and with plain SQLite.
    private static func measureSaving(
        _ bench: QueryBench,
        into report: inout Report
    ) throws {
        let names: [ExactText] = ["price", "zone", "unique", "maker"]
        try bench.store.write { writer in
            for index in ["value", "array", "story", "unique", "zone", "maker"] as [ExactText] {
                try writer.deleteIndex(index, in: .default)
            }
        }
        try bench.floor.change(
            """
            DROP INDEX by_price; DROP INDEX by_zone; DROP INDEX by_unique; DROP INDEX by_maker;
            """
        )
        var plain: (ours: Double, raw: Double)?
        for count in [0, 1, 4] {
            for name in names.prefix(count) {
                try bench.store.write {
                    try $0.createIndex(name, values([name]), in: .default)
                }
                try bench.floor.change(
                    "CREATE INDEX IF NOT EXISTS by_\(name.text)"
                        + " ON docs (json_extract(body, '$.\(name.text)'))"
                )
            }
            let times = try saving(bench, changedBy: 37 * (count + 1))
            // SQLite's own time; with indexes, our time without, scaled by the same factor as SQLite's.
            let floor = plain.map { times.raw * $0.ours / $0.raw } ?? times.raw
            plain = plain ?? times
            bench.add(
                "save 1,000 changed documents, \(count) indexes",
                times.ours,
                floor: floor,
                to: &report
            )
        }
    }

    /// Gives every document other values in each index, at another place of it.
    private static func saving(
        _ bench: QueryBench,
        changedBy shift: Int
    ) throws -> (ours: Double, raw: Double) {
        var best = (ours: Double.infinity, raw: Double.infinity)
        for round in 0..<8 {
            let first = round * 10_000
            best.ours = min(
                best.ours,
                try Stopwatch.bestWork(of: 1) {
                    try bench.store.write { writer in
                        try QueryDocuments.save(
                            first..<first + 1_000,
                            changedBy: shift,
                            writer
                        )
                    }
                }
            )
            best.raw = min(
                best.raw,
                try Stopwatch.bestWork(of: 1) {
                    try bench.floor.change("BEGIN")
                    for number in first..<first + 1_000 {
                        try bench.floor.save(number, changedBy: shift)
                    }
                    try bench.floor.change("COMMIT")
                }
            )
        }
        return best
    }
}
