import DivanDatabase
import DivanQuery

/// Queries on 100,000 documents of 1.2 KB, reading the whole result, compared with SQLite and
/// `json_extract`; the bounds are the reference engine's on the same machine, or what users tolerate.
enum QueryFigures {
    static func measure(in directory: String, into report: inout Report) throws {
        // First, in a process whose memory is still fresh.
        try QueryLiveFigures.measure(in: directory, into: &report)
        try measureStore(in: directory, into: &report)
        try IndexedPullFigures.measure(in: directory, into: &report)
    }

    private static func measureStore(in directory: String, into report: inout Report) throws {
        let bench = try QueryBench(in: directory)
        for question in scans + results {
            try bench.compare(question.name, question.query, question.sql, to: &report)
        }
        try bench.compare(
            "first row of a scan",
            "SELECT name FROM _ WHERE zone >= 0",
            "SELECT json_extract(body, '$.name') FROM docs WHERE json_extract(body, '$.zone') >= 0",
            onlyFirst: true,
            to: &report
        )
        try measureCompiling(bench, into: &report)
        try QueryIndexFigures.measure(bench, into: &report)
    }

    private static let scans: [QueryBench.Question] = [
        (
            "count where an early key", "SELECT COUNT(*) FROM _ WHERE active = true",
            "SELECT count(*) FROM docs WHERE json_extract(body, '$.active') = 1"
        ),
        (
            "count where a number", "SELECT COUNT(*) FROM _ WHERE price > 500",
            "SELECT count(*) FROM docs WHERE json_extract(body, '$.price') > 500"
        ),
        (
            "count where a nested string", "SELECT COUNT(*) FROM _ WHERE dims.city = 'c5'",
            "SELECT count(*) FROM docs WHERE json_extract(body, '$.dims.city') = 'c5'"
        ),
        (
            "count where a late key", "SELECT COUNT(*) FROM _ WHERE zone = 7",
            "SELECT count(*) FROM docs WHERE json_extract(body, '$.zone') = 7"
        ),
        ("count(*)", "SELECT COUNT(*) FROM _", "SELECT count(*) FROM docs"),
        (
            "LIKE '%…%'", "SELECT COUNT(*) FROM _ WHERE name LIKE '%99%'",
            "SELECT count(*) FROM docs WHERE json_extract(body, '$.name') LIKE '%99%'"
        ),
    ]

    private static let results: [QueryBench.Question] = [
        (
            "ORDER BY … LIMIT 20", "SELECT name FROM _ ORDER BY price LIMIT 20",
            """
            SELECT json_extract(body, '$.name') FROM docs
            ORDER BY json_extract(body, '$.price') LIMIT 20
            """
        ),
        (
            "20 groups with a sum", "SELECT kind, SUM(price) FROM _ GROUP BY kind",
            """
            SELECT json_extract(body, '$.kind') AS k, sum(json_extract(body, '$.price'))
            FROM docs GROUP BY k
            """
        ),
        (
            "UNNEST", "SELECT COUNT(*) FROM _ AS d UNNEST d.parts AS p WHERE p.n = 'n7'",
            """
            SELECT count(*) FROM docs, json_each(docs.body, '$.parts') AS p
            WHERE json_extract(p.value, '$.n') = 'n7'
            """
        ),
        (
            "JOIN on ID, filter without index",
            """
            SELECT COUNT(*) FROM _ AS d JOIN _ AS m ON META(m).id = d.maker
            WHERE d.zone = 7 AND m.active = true
            """,
            """
            SELECT count(*) FROM docs AS d JOIN docs AS m ON m.id = json_extract(d.body, '$.maker')
            WHERE json_extract(d.body, '$.zone') = 7 AND json_extract(m.body, '$.active') = 1
            """
        ),
        (
            "three properties of all rows", "SELECT name, price, maker FROM _",
            """
            SELECT json_extract(body, '$.name'), json_extract(body, '$.price'),
                json_extract(body, '$.maker') FROM docs
            """
        ),
        ("SELECT * of all rows", "SELECT * FROM _", "SELECT body FROM docs"),
    ]

    /// Each text is different, so that no compiled statement is cached.
    private static func measureCompiling(
        _ bench: QueryBench,
        into report: inout Report
    ) throws {
        let count = 200
        let time = try Stopwatch.bestWork(of: 3) {
            for number in 0..<count {
                let text = """
                    SELECT name, price AS p\(number) FROM _ WHERE kind = 'k3' AND price > $most
                    ORDER BY price DESC LIMIT 20
                    """
                _ = try bench.store.plan(of: StorageQuery(bench.checked(text)))
            }
        }
        bench.add("compile and plan", time / Double(count), floor: nil, to: &report)
    }
}
