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
                Porto

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

    @Test func `parameters are JSON, or else text`() throws {
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

    @Test func `what is wrong with a query is told with its place`() throws {
        let outcome = try shell.divan("query", "shop", "SELECT LENTGH(name) FROM shop.chairs")
        #expect(outcome.status == 4)
        #expect(
            outcome.errors.contains(
                "line 1, column 8: unknown function LENTGH; did you mean LENGTH?"
            )
        )
        #expect(try shell.divan("query", "shop", "SELECT 1 FROM _", "-f", "xml").status == 2)
    }

    @Test func `indexes are made, listed, used and removed`() throws {
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
}
