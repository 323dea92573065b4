import DivanTestKit
import Foundation
import Testing

/// How `divan query` and `divan index` print their results.
@Suite struct QueryOutputTests {
    private static let formats = ["table", "json", "jsonl", "csv", "markdown"]

    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "shop")
        for (id, body) in [
            ("a", #"{"v":null,"w":"椅子 | \"x\"","n":{"k":[1,2.5,null]}}"#),
            ("b", #"{"v":true,"w":"two\nlines, one cell","n":[]}"#),
            ("c", #"{"v":1e3,"w":""}"#),
        ] {
            try shell.run("put", "shop", id, body)
        }
    }

    private func query(_ sql: String, _ options: String...) throws -> Program.Outcome {
        try shell.divan(["query", "shop", sql] + options)
    }

    @Test(arguments: [
        (
            "table",
            """
            id  v       w                        n
            --  ------  -----------------------  ------------------
            a   null    椅子 | "x"               {"k":[1,2.5,null]}
            b   true    two\\u{a}lines, one cell  []
            c   1000.0

            """
        ),
        (
            "json",
            """
            [{"id":"a","v":null,"w":"椅子 | \\"x\\"","n":{"k":[1,2.5,null]}}
            ,{"id":"b","v":true,"w":"two\\nlines, one cell","n":[]}
            ,{"id":"c","v":1000.0,"w":""}
            ]

            """
        ),
        (
            "jsonl",
            """
            {"id":"a","v":null,"w":"椅子 | \\"x\\"","n":{"k":[1,2.5,null]}}
            {"id":"b","v":true,"w":"two\\nlines, one cell","n":[]}
            {"id":"c","v":1000.0,"w":""}

            """
        ),
        (
            "csv",
            """
            id,v,w,n
            a,,"椅子 | ""x""\","{""k"":[1,2.5,null]}"
            b,true,"two
            lines, one cell",[]
            c,1000.0,"",

            """
        ),
        (
            "markdown",
            """
            | id | v | w | n |
            |---|---|---|---|
            | a | null | 椅子 \\| "x" | {"k":[1,2.5,null]} |
            | b | true | two\\u{a}lines, one cell | [] |
            | c | 1000.0 |  |  |

            """
        ),
    ])
    func `null, MISSING, wide characters, quotes and nested values work in every format`(
        format: String,
        expected: String
    ) throws {
        let sql = "SELECT META().id, v, w, n FROM _ ORDER BY META().id"
        let outcome = try query(sql, "-f", format)
        #expect(outcome.output == expected)
        #expect(try query(sql, "--format", format.uppercased()).output == outcome.output)
    }

    @Test func `SELECT * gives a column for each property in tables, and an object in JSON`() throws
    {
        let sql = "SELECT * FROM _ ORDER BY META().id"
        let table = try query(sql).output
        #expect(
            table.hasPrefix("n                   v       w\n") || table.contains("v  "),
            "\(table)"
        )
        #expect(!table.contains("_\n") && !table.contains("\"v\""), "\(table)")
        let rows = try query(sql, "-f", "csv").output.split(separator: "\n")
        #expect(Set(rows.first?.split(separator: ",") ?? []) == ["n", "v", "w"], "\(rows)")
        #expect(try query(sql, "-f", "markdown").output.contains("| 1000.0 |"))
        #expect(try query(sql, "-f", "jsonl").output.hasPrefix("{\"_\":{"))
        let mixed = try query("SELECT META().id, * FROM _ ORDER BY META().id", "-f", "csv").output
        #expect(mixed.hasPrefix("id,"), "\(mixed)")
        // A property of a later row has a column, too.
        try shell.run("put", "shop", "z", #"{"late":7}"#)
        #expect(try query(sql, "-f", "csv").output.contains(",late"))
    }

    @Test func `an empty result is valid in every format`() throws {
        let expected = [
            "table": "v\n-\n", "json": "[]\n", "jsonl": "", "csv": "v\n",
            "markdown": "| v |\n|---|\n",
        ]
        for format in Self.formats {
            let outcome = try query("SELECT v FROM _ WHERE FALSE", "-f", format)
            #expect(outcome.status == 0 && outcome.output == expected[format], "\(outcome)")
            #expect(outcome.errors == (format == "table" ? "No rows\n" : ""), "\(outcome)")
        }
    }

    @Test func `with --json the plan and the time are JSON`() throws {
        let plan = try query("SELECT v FROM _ WHERE v = 1", "--explain", "--json").json()
        #expect((plan["sql"] as? String)?.hasPrefix("SELECT") == true)
        let steps = try #require(plan["steps"] as? [[String: Any]])
        #expect(steps.contains { ($0["text"] as? String)?.hasPrefix("SCAN") == true })
        let timed = try query("SELECT v FROM _", "--timer", "--json")
        let time = try JSONSerialization.jsonObject(with: Data(timed.errors.utf8))
        let members = try #require(time as? [String: Any])
        #expect(members["rows"] as? Int == 3)
        #expect((members["milliseconds"] as? Double ?? -1) >= 0)
        #expect(timed.output.split(separator: "\n").count == 3)
        #expect(try query("SELECT v FROM _", "--explain", "--watch").status == 2)
    }

    @Test func `parameter errors are reported with a hint`() throws {
        let sql = "SELECT v FROM _ WHERE w = $word OR v = $value"
        for (options, words) in [
            (["-p", "wrod=a"], "no parameter $wrod\nhint: its parameters are $value, $word"),
            (["-p", "word"], "invalid value 'word' for '--param'\nhint: write NAME=VALUE"),
            (["-p", "word=a", "-p", "word=b"], "'--param' sets $word twice"),
            (["-p", "word={\"a\":"], "the value of $word is not valid JSON at byte 5 "),
            (["-p", "word=a"], "$value has no value, so it is MISSING; set it with '-p value="),
        ] {
            let outcome = try shell.divan(["query", "shop", sql] + options)
            #expect(outcome.errors.contains(words), "\(options): \(outcome)")
        }
        let none = try query("SELECT v FROM _", "-p", "a=1")
        #expect(none.errors.contains("write $a in the query in place of the value"), "\(none)")
        let whole = try query(sql, "-p", "$word=x", "-p", "value=true", "-f", "csv")
        #expect(whole.output == "v\ntrue\n" && whole.errors.isEmpty, "\(whole)")
        #expect(try query("SELECT 1 AS a FROM _ WHERE $opt_x IS VALUED").errors == "No rows\n")
    }

    @Test func `index ls shows the expressions of each index`() throws {
        try shell.run("index", "make", "shop", "a", "v", "LOWER(w)", "--where", "v > 3")
        try shell.run("index", "make", "shop", "b", "w", "--text", "--language", "en")
        try shell.run("index", "make", "shop", "c", "--array", "n")
        try shell.run("index", "make", "shop", "d", "number", "--array", "contacts[].phones")
        let lines = """
            a  value: v, LOWER(w) WHERE v > 3
            b  full text: w
            c  array: the items of n
            d  array: number of the items of contacts[].phones

            """
        #expect(try shell.run("index", "ls", "shop").output == lines)
        let listed = try shell.divan("shell", "shop", input: ".indexes\n").output
        #expect(listed.contains("_default  c  array: the items of n"), "\(listed)")
        let json = try shell.run("index", "ls", "shop", "--json").output
        #expect(
            json.contains(#"{"name":"c","source":"the items of n","type":"array"}"#),
            "\(json)"
        )
    }
}
