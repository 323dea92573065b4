import DivanTestKit
import Foundation
import Testing

/// `divan query` and `divan index`; each test runs the real program.
@Suite struct QueryCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "shop")
        try shell.run("collections", "shop", "--make", "shop.chairs")
        for (id, body) in [
            ("c1", #"{"name":"Oslo","price":120,"tags":["wood","light"]}"#),
            ("c2", #"{"name":"Bern, a chair","price":340.5}"#),
            ("c3", #"{"name":"Porto","price":null}"#),
        ] {
            try shell.run("put", "shop", "-c", "shop.chairs", id, body)
        }
    }

    private func rows(_ format: String, _ sql: String) throws -> String {
        try shell.run("query", "shop", sql, "--format", format).output
    }

    @Test func `rows are printed in every format`() throws {
        let sql = "SELECT name, price FROM shop.chairs ORDER BY META().id"
        #expect(
            try rows("table", sql) == """
                name           price
                -------------  -----
                Oslo           120
                Bern, a chair  340.5
                Porto          null

                """
        )
        #expect(
            try rows("json", sql) == """
                [{"name":"Oslo","price":120}
                ,{"name":"Bern, a chair","price":340.5}
                ,{"name":"Porto","price":null}
                ]

                """
        )
        #expect(try rows("jsonl", sql).hasPrefix(#"{"name":"Oslo","price":120}"# + "\n"))
        #expect(try rows("csv", sql) == "name,price\nOslo,120\n\"Bern, a chair\",340.5\nPorto,\n")
        #expect(
            try rows("markdown", sql).hasPrefix("| name | price |\n|---|---|\n| Oslo | 120 |\n")
        )
        #expect(try rows("json", "SELECT name FROM shop.chairs WHERE FALSE") == "[]\n")
    }

    @Test func `query --watch prints rows again after a change by another process`() throws {
        let sql = "SELECT COUNT(*) AS n FROM shop.chairs WHERE price < 1000"
        let watcher = try shell.start("query", "shop", sql, "--watch")
        _ = try watcher.event { $0["n"] as? Int == 2 }
        try shell.run("put", "shop", "-c", "shop.chairs", "c9", #"{"price":5000}"#)
        try shell.run("put", "shop", "-c", "shop.chairs", "c4", #"{"price":7}"#)
        _ = try watcher.event { $0["n"] as? Int == 3 }
        try shell.run("purge", "shop", "-c", "shop.chairs", "c4")
        _ = try watcher.event { $0["n"] as? Int == 2 }
        #expect(watcher.stop() == 0)
    }

    @Test func `Ctrl-C right after the first rows ends query --watch with success`() throws {
        let watcher = try shell.start(
            "query",
            "shop",
            "SELECT COUNT(*) AS n FROM shop.chairs",
            "--watch"
        )
        _ = try watcher.event { $0["n"] is Int }
        #expect(watcher.stop() == 0)
    }

    @Test func `query --watch prints rows again after an expiration or its change`() throws {
        let sql =
            "SELECT COUNT(*) AS n, MAX(META().expiration) AS last FROM shop.chairs WHERE price < 1000"
        let watcher = try shell.start("query", "shop", sql, "--watch")
        _ = try watcher.event { $0["n"] as? Int == 2 && $0["last"] == nil }
        try shell.run("expire", "shop", "-c", "shop.chairs", "c1", "2999-01-01")
        _ = try watcher.event { $0["n"] as? Int == 2 && $0["last"] is Int }
        let soon = Date().addingTimeInterval(2).ISO8601Format()
        try shell.run("expire", "shop", "-c", "shop.chairs", "c2", soon)
        _ = try watcher.event { $0["n"] as? Int == 1 }
        #expect(watcher.stop() == 0)
    }

    @Test func `query --watch prints rows again after a purge`() throws {
        let sql = "SELECT COUNT(*) AS n FROM shop.chairs WHERE META().deleted"
        try shell.run("rm", "shop", "-c", "shop.chairs", "c1")
        let watcher = try shell.start("query", "shop", sql, "--watch")
        _ = try watcher.event { $0["n"] as? Int == 1 }
        try shell.run("purge", "shop", "-c", "shop.chairs", "c1")
        _ = try watcher.event { $0["n"] as? Int == 0 }
        #expect(watcher.stop() == 0)
    }

    @Test func `parameters are parsed as JSON or used as text`() throws {
        let sql =
            "SELECT META().id FROM shop.chairs WHERE price < $p OR name = $n ORDER BY META().id"
        let output = try shell.run(
            "query",
            "shop",
            sql,
            "-p",
            "p=200",
            "-p",
            "n=Porto",
            "-f",
            "csv"
        )
        #expect(output.output == "id\nc1\nc3\n")
        let unknown = try shell.divan("query", "shop", sql, "-p", "x=1")
        #expect(unknown.status == 4 && unknown.errors.contains("no parameter $x"))
    }

    @Test func `a query error is reported with its position`() throws {
        let outcome = try shell.divan("query", "shop", "SELECT LENTGH(name) FROM shop.chairs")
        #expect(outcome.status == 4)
        #expect(
            outcome.errors.contains(
                "line 1, column 8: unknown function LENTGH\nhint: did you mean LENGTH?\n"
            )
        )
        #expect(try shell.divan("query", "shop", "SELECT 1 FROM _", "-f", "xml").status == 2)
        for (sql, words) in [
            (
                "SELECT 1 FROM shop.chair",
                "no such collection \"shop.chair\"\nhint: did you mean shop.chairs?\n"
            ),
            (
                "SELECT 1 FROM chairs",
                "no such collection \"chairs\"\nhint: did you mean shop.chairs?\n"
            ),
            (
                "SELECT 1 FROM tables",
                "no such collection \"tables\"\nhint: existing collections: _default, shop.chairs\n"
            ),
            ("SELECT 1 FROM shop.chairs AS c UNNEST tags AS t", "alias\nhint: write c.tags"),
            ("SELECT META(d).id FROM shop.chairs AS c", "alias\nhint: write META() of c"),
        ] {
            let wrong = try shell.divan("query", "shop", sql)
            #expect(wrong.errors.contains(words), "\(wrong)")
        }
    }

    @Test func `an invalid query has the same exit code in every command`() throws {
        for words in [
            ["query", "shop", "SELECT"], ["select", "shop", "FROM"], ["shell", "shop"],
            ["ls", "shop", "--where", "price <"], ["export", "shop", "--query", "SELECT"],
            ["index", "make", "shop", "by", "price <"],
            ["index", "make", "shop", "by", "price", "--where", "price <"],
            ["index", "suggest", "shop", "SELECT"],
            ["users", "add", "users.json", "bo", "--where", "price <"],
            ["query", "shop", "SELECT name FROM nowhere"],
            ["query", "shop", "SELECT REGEXP_LIKE(name, '(') FROM shop.chairs"],
        ] {
            let outcome = try shell.divan(words, input: "SELECT;\n")
            #expect(outcome.status == 4, "\(words): \(outcome)")
        }
    }

    @Test func `indexes are created, listed, used and removed`() throws {
        try shell.run("index", "make", "shop", "byPrice", "price", "-c", "shop.chairs")
        try shell.run(
            "index",
            "make",
            "shop",
            "words",
            "name",
            "-c",
            "shop.chairs",
            "--text",
            "--language",
            "en"
        )
        try shell.run("index", "make", "shop", "tags", "-c", "shop.chairs", "--array", "tags")
        let list = try shell.run("index", "ls", "shop", "-c", "shop.chairs").output
        #expect(list.contains("byPrice") && list.contains("value: price") && list.contains("tags"))
        let plan = try shell.run(
            "query",
            "shop",
            "SELECT name FROM shop.chairs WHERE price = 120",
            "--explain"
        )
        #expect(plan.output.contains("USING INDEX"))
        let found = "SELECT META().id FROM shop.chairs WHERE MATCH(words, 'chairs')"
        #expect(try rows("csv", found) == "id\nc2\n")
        try shell.run("index", "rm", "shop", "byPrice", "-c", "shop.chairs")
        #expect(try shell.divan("index", "rm", "shop", "byPrice", "-c", "shop.chairs").status == 3)
    }

    @Test func `a vector index is created, listed, trained and used`() throws {
        let place = ["-c", "shop.chairs"]
        func run(_ words: [String], input: String = "") throws -> String {
            let outcome = try shell.divan(words + place, input: input)
            #expect(outcome.status == 0, "\(words): \(outcome)")
            return outcome.output
        }
        let lines = (0..<30).map { #"{"name":"n\#($0)","v":[\#($0),1]}"# + "\n" }
        _ = try run(["import", "shop", "-"], input: lines.joined())
        let options = ["--vector", "2", "--centroids", "1", "--metric", "euclidean"]
        _ = try run(["index", "make", "shop", "near", "v"] + options)
        let list = try run(["index", "ls", "shop"])
        let line = "vector: v (2 dimensions, 1 centroid, euclidean), trained with 30 vectors"
        #expect(list.contains(line), "\(list)")
        let nearest = """
            SELECT name, APPROX_VECTOR_DISTANCE(v, [7.25, 1]) AS d FROM shop.chairs \
            ORDER BY d LIMIT 2
            """
        #expect(try rows("csv", nearest) == "name,d\nn7,0.25\nn8,0.75\n")
        #expect(try run(["index", "ls", "shop", "--json"]).contains(#""trained":true"#))
        try shell.run("check", "shop")
        for words in [
            ["--vector", "1"], ["--vector", "4097"], ["--vector", "2", "--centroids", "0"],
            ["--vector", "2", "--metric", "up"], ["--vector", "2", "--text"], ["--metric", "dot"],
            ["--vector", "2", "w"],
        ] {
            let outcome = try shell.divan(["index", "make", "shop", "x", "v"] + words + place)
            #expect(outcome.status == 2, "\(words): \(outcome)")
        }
    }

    @Test func `a damaged index is listed as such and can be removed`() throws {
        try shell.run("index", "make", "shop", "byPrice", "price", "-c", "shop.chairs")
        let file = URL(filePath: shell.path("shop.cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data(#""kind":"value""#.utf8)))
        bytes[place.upperBound - 2] ^= 1
        try bytes.write(to: file)
        let list = try shell.run("index", "ls", "shop", "-c", "shop.chairs").output
        #expect(list.contains("byPrice") && list.contains("damaged"), "\(list)")
        #expect(list.contains("divan index make"), "\(list)")
        let json = try shell.run("index", "ls", "shop", "-c", "shop.chairs", "--json").output
        #expect(json == #"{"damaged":true,"name":"byPrice"}"# + "\n")
        try shell.run("index", "rm", "shop", "byPrice", "-c", "shop.chairs")
        #expect(try shell.run("index", "ls", "shop", "-c", "shop.chairs").output.isEmpty)
        try shell.run("check", "shop")
    }

    @Test func `an index is suggested only where it would be used`() throws {
        func suggestion(_ sql: String) throws -> String {
            try shell.run("index", "suggest", "shop", sql).output
        }
        let sql = "SELECT price FROM shop.chairs AS c WHERE c.name = $n AND c.price > 5"
        #expect(
            try suggestion(sql.replacing("SELECT price", with: "SELECT c.price"))
                == "divan index make shop byNamePrice -c shop.chairs 'name' 'price'\n"
        )
        let lower = "SELECT name FROM shop.chairs WHERE LOWER(name) = 'oslo'"
        #expect(try suggestion(lower).hasSuffix("'LOWER(name)'\n"))
        #expect(try suggestion("SELECT name FROM shop.chairs WHERE name LIKE '%o'").isEmpty)
        #expect(try suggestion("SELECT name FROM shop.chairs WHERE name != 'o'").isEmpty)
        let local = "SELECT name FROM shop.chairs WHERE STR_TO_MILLIS(day) > 0"
        #expect(try shell.run("index", "suggest", "shop", local).errors.contains("time zone"))
        try shell.run("index", "make", "shop", "byName", "-c", "shop.chairs", "name")
        let known = "SELECT price FROM shop.chairs WHERE name = 'Oslo'"
        #expect(try suggestion(known).isEmpty)
        #expect(try shell.run("index", "suggest", "shop", known).errors.contains("byName"))
    }

    /// A suggested index is created, and then the plan uses it.
    @Test(arguments: [
        ("SELECT name FROM shop.chairs WHERE price = 1 OR name = 'x'", ["byPrice", "byName"]),
        ("SELECT name FROM shop.chairs WHERE name = 'x' COLLATE NOCASE", ["byName"]),
        (
            "SELECT c.name FROM shop.chairs AS c UNNEST c.parts AS p WHERE p.n = 'leg'",
            ["byNParts"]
        ),
        ("SELECT name FROM shop.chairs WHERE ANY t IN tags SATISFIES t = 'x' END", ["byTags"]),
        (
            "SELECT name FROM shop.chairs WHERE ANY p IN a.parts SATISFIES p.n.m > 3 END",
            ["byNMAParts"]
        ),
        (
            "SELECT a.name FROM shop.chairs AS a LEFT JOIN shop.chairs AS b ON a.name = b.maker",
            ["byMaker"]
        ),
        ("SELECT name, COUNT(*) FROM shop.chairs GROUP BY name", ["byName"]),
        ("SELECT MAX(price) FROM shop.chairs", ["byPrice"]),
        ("SELECT name FROM shop.chairs ORDER BY price, name", ["byPriceName"]),
        ("SELECT price * 2 AS d, name AS m FROM shop.chairs WHERE m IS MISSING", ["byName"]),
    ])
    func `the commands that index suggest prints create useful indexes`(
        sql: String,
        names: [String]
    ) throws {
        let lines = try shell.run("index", "suggest", "shop", sql).output
            .split(separator: "\n").map(String.init)
        #expect(lines.count == names.count, "\(lines)")
        for line in lines { #expect(try shell.bash(line).status == 0, "\(line)") }
        let plan = try shell.run("query", "shop", sql, "--explain").output
        for name in names { #expect(plan.contains("INDEX \(name)"), "\(lines) \(plan)") }
        let again = try shell.run("index", "suggest", "shop", sql)
        #expect(again.output.isEmpty && again.errors.contains("already uses"), "\(again)")
    }

    @Test(arguments: [
        ("SELECT name FROM shop.chairs WHERE name = 'x' COLLATE UNICODE", "Unicode"),
        ("SELECT name FROM shop.chairs", "no condition"),
        ("SELECT name FROM shop.chairs WHERE name LIKE '%o'", "No index would help"),
        ("SELECT name FROM shop.chairs WHERE price + 1 = 2", "no condition compares"),
    ])
    func `index suggest says why no index helps`(sql: String, reason: String) throws {
        let outcome = try shell.run("index", "suggest", "shop", sql)
        #expect(outcome.output.isEmpty && outcome.errors.contains(reason), "\(outcome)")
    }

    @Test func `index rebuild recreates indexes`() throws {
        try shell.run("index", "make", "shop", "byPrice", "price", "-c", "shop.chairs")
        #expect(try shell.run("index", "rebuild", "shop").errors.contains("Rebuilt 1 index"))
        #expect(try shell.run("reindex", "shop", "--json").output == "{\"rebuilt\":1}\n")
        let plan = try shell.run(
            "query",
            "shop",
            "SELECT name FROM shop.chairs WHERE price = 120",
            "--explain"
        )
        #expect(plan.output.contains("SEARCH shop.chairs AS s0 USING INDEX byPrice"))
    }

    @Test(arguments: [[], ["--array", "tags"], ["--text"]])
    func `an empty index expression is rejected`(options: [String]) throws {
        for expressions in [[""], ["name", ""]] {
            let words = ["index", "make", "shop", "odd", "-c", "shop.chairs"] + options
            try shell.divan(words + expressions).expectFailure(2, "EXPRESSION is empty")
        }
        #expect(try shell.run("index", "ls", "shop", "-c", "shop.chairs").output.isEmpty)
    }

    @Test func `text without spaces is found with an index of its language`() throws {
        try shell.run("put", "shop", "kyoto", #"{"name":"京都の木椅子"}"#, "-c", "shop.chairs")
        func make(_ language: String) throws {
            let words = ["words", "name", "-c", "shop.chairs", "--text", "--language", language]
            #expect(try shell.divan(["index", "make", "shop"] + words).status == 0)
        }
        let sql = "SELECT META().id FROM shop.chairs WHERE MATCH(words, '椅子')"
        try make("en")
        let hidden = try shell.run("query", "shop", sql, "--format", "csv")
        #expect(hidden.output == "id\n" && hidden.errors.contains("--language ja"), "\(hidden)")
        try make("ja")
        let found = try shell.run("query", "shop", sql, "--format", "csv")
        #expect(found.output == "id\nkyoto\n" && found.errors.isEmpty, "\(found)")
    }

    @Test func `ls --where lists documents by a condition`() throws {
        let listed = try shell.run("ls", "shop", "-c", "shop.chairs", "--where", "price > 100")
        #expect(listed.output == "c1\nc2\nc3\n")
        let some = try shell.run("ls", "shop", "-c", "shop.chairs", "--where", "price < 200")
        #expect(some.output == "c1\n")
        try shell.run("put", "shop", "here", "{}")
        let none = try shell.run("ls", "shop", "--where", "price > 1e99")
        #expect(none.output.isEmpty && !none.errors.contains("default collection"), "\(none)")
        let wrong = try shell.divan("ls", "shop", "--where", "price < 200; DROP")
        #expect(wrong.status == 4)
    }

    @Test func `query rows are exported as CSV and imported again`() throws {
        let sql = "SELECT META().id AS _id, name, price FROM shop.chairs ORDER BY META().id"
        try shell.run("export", "shop", "out.csv", "--query", sql)
        let text = try String(contentsOfFile: shell.path("out.csv"), encoding: .utf8)
        #expect(text == "_id,name,price\nc1,Oslo,120\nc2,\"Bern, a chair\",340.5\nc3,Porto,\n")
        try shell.run("new", "copy")
        try shell.run("import", "copy", "out.csv", "--from", "csv")
        #expect(
            try shell.run("get", "copy", "c2").output.contains(#""name": "Bern, a chair""#)
        )
        let rows = try shell.run(
            "query",
            "copy",
            "SELECT * FROM _ ORDER BY META().id",
            "-f",
            "jsonl"
        )
        #expect(rows.output.contains(#"{"_":{"name":"Porto"}}"#))
        let lines = try shell.run("export", "shop", "--query", sql).output
        #expect(lines.hasPrefix(#"{"_id":"c1","name":"Oslo","price":120}"#))
    }

    @Test func `--timer prints the time, and the shell reads lines from a pipe`() throws {
        let timed = try shell.divan("query", "shop", "SELECT 1 AS a FROM shop.chairs", "--timer")
        #expect(timed.errors.hasPrefix("3 rows in "))
        let input = """
            .mode csv
            .param least 100
            SELECT name FROM shop.chairs
            WHERE price > $least AND price < 200;
            SELECT COUNT(*) AS n FROM shop.chairs
            """
        let piped = try shell.divan("shell", "shop", input: input)
        #expect(piped.status == 0 && piped.output == "name\nOslo\nn\n3\n")
        let failed = try shell.divan("shell", "shop", input: "SELECT;\n.nope\n.collections\n")
        #expect(failed.status == 4 && failed.errors.contains("unknown command '.nope'"))
        #expect(failed.output.contains("shop.chairs"))
    }
}
