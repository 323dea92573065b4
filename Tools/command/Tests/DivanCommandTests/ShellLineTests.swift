import DivanTestKit
import Foundation
import Testing

/// How `divan shell` handles lines from a pipe or a file.
@Suite(.timeLimit(.minutes(5))) struct ShellLineTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "shop")
        try shell.run("put", "shop", "c1", #"{"name":"Oslo; a chair","price":5}"#)
    }

    private func take(_ lines: String) throws -> Program.Outcome {
        try shell.divan("shell", "shop", input: ".mode jsonl\n" + lines)
    }

    @Test(arguments: [
        "SELECT 1 AS a FROM _; SELECT 2 AS b FROM _;",
        "SELECT 1 AS a FROM _;;  ; SELECT 2 AS b FROM _",
        "SELECT 1 AS a\nFROM _; SELECT\n2 AS b FROM _;\n",
        "-- two questions\nSELECT 1 AS a FROM _;\n  -- the second; it has a comment\nSELECT 2\n-- it's\nAS b FROM _;",
        "SELECT 1 AS a FROM _;\r\nSELECT 2 AS b FROM _;\r\n",
    ])
    func `a line can have several queries, and a query several lines`(_ lines: String) throws {
        let outcome = try take(lines)
        #expect(outcome.output == "{\"a\":1}\n{\"b\":2}\n", "\(outcome)")
        #expect(outcome.status == 0)
    }

    @Test func `a semicolon in quotes does not end a query`() throws {
        let outcome = try take(
            "SELECT name FROM _ WHERE name = 'Oslo; a chair'; SELECT 'it''s; \"' AS `a;b` FROM _;"
        )
        #expect(
            outcome.output == "{\"name\":\"Oslo; a chair\"}\n{\"a;b\":\"it's; \\\"\"}\n",
            "\(outcome)"
        )
        let over = try take("SELECT 'one\n;two' AS t FROM _;")
        #expect(over.output == "{\"t\":\"one\\n;two\"}\n", "\(over)")
    }

    @Test(arguments: [".quit", ".quit now", ".exit", "exit", "quit;", "QUIT", "\\q", ".quit;"])
    func `the shell ends on each exit command`(_ word: String) throws {
        let outcome = try take("\(word)\nSELECT 1 AS a FROM _;\n")
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(word): \(outcome)")
    }

    @Test func `help works without a dot, and commands of other shells get a hint`() throws {
        for word in ["help", ".help", "?", "help;", ".help mode"] {
            #expect(try take(word).output.contains(".timer"), "\(word)")
        }
        for (word, order) in [
            (".tables", ".collections"), ("\\dt", ".collections"), (".colections", ".collections"),
            (".headers on", ".mode"), (".timing", ".timer"), ("\\i x", ".read"),
        ] {
            let outcome = try take(word)
            #expect(outcome.errors.contains("did you mean '\(order)'?"), "\(word): \(outcome)")
            #expect(outcome.status == 4)
        }
    }

    @Test func `a dot command reports its valid arguments`() throws {
        for (line, words) in [
            (
                ".mode xml",
                "value 'xml' for '.mode'\nhint: use one of table, json, jsonl, csv, markdown"
            ),
            (".timer maybe", "invalid value 'maybe' for '.timer'\nhint: use one of on, off"),
            (".collections now", "'.collections' does not take an argument"),
            (".param", "No parameters"), (".param a", "'.param' requires a name and a value"),
            (".param a {\"b\"", "is not valid JSON at byte 4 (line 1, column 5): unexpected end"),
            (".read", "'.read' requires a file"),
            (".explain", "'.explain' requires a query"), (".read nowhere.sql", "nowhere.sql"),
        ] {
            let outcome = try take(line)
            #expect(outcome.errors.contains(words), "\(line): \(outcome)")
        }
        #expect(try take(".mode csv\n.mode").output == "csv\n")
        #expect(try take(".timer\n.timer on\n.timer").output == "off\non\n")
    }

    @Test func `parameters are set, listed and removed`() throws {
        let outcome = try take(
            """
            .param $least 3
            .param name=Oslo; a chair
            .param
            SELECT $least AS l, $name AS n FROM _;
            .param least null
            SELECT $least AS l FROM _;
            """
        )
        #expect(
            outcome.output == """
                $least  3
                $name   "Oslo; a chair"
                {"l":3,"n":"Oslo; a chair"}
                {}

                """,
            "\(outcome)"
        )
    }

    @Test func `errors are reported with their line`() throws {
        let lines = """
            SELECT 1 AS a FROM _; SELECT LENTGH(name) FROM _;
            SELECT name
            FORM _;
            .nope
            SELECT name FROM _ WHERE name = 'Oslo
            """
        let piped = try shell.divan("shell", "shop", input: lines)
        let expected = [
            "line 1, column 30: unknown function LENTGH\nhint: did you mean LENGTH?",
            "line 3, column 1: unknown word FORM\nhint: did you mean FROM?",
            "line 4: unknown command '.nope'", "line 5, column 33: the closing ' is missing",
        ]
        for sentence in expected { #expect(piped.errors.contains(sentence), "\(piped)") }
        #expect(piped.status == 4)
        try shell.write("wrong.sql", "\u{FEFF}" + lines)
        let read = try take(".read wrong.sql\nSELECT 7 AS n FROM _;")
        for sentence in expected {
            #expect(read.errors.contains("wrong.sql, \(sentence)"), "\(read)")
        }
        #expect(read.output.hasSuffix("{\"n\":7}\n"), "the shell goes on behind the file")
        try shell.write("again.sql", ".read again.sql\n")
        #expect(try take(".read again.sql").errors.contains("nested deeper"))
    }

    @Test func `many queries in one line take as long as in many lines`() throws {
        func cost(_ end: String) throws -> Duration {
            let lines = String(repeating: "SELECT 1 AS a FROM _;\(end)", count: 1_500)
            let begin = ContinuousClock.now
            #expect(try take(lines).output.split(separator: "\n").count == 1_500)
            return ContinuousClock.now - begin
        }
        var ratios: [Double] = []
        // Quadratic work takes longer each time; a busy machine delays some.
        for _ in 0..<4 {
            ratios.append(try cost(" ") / cost("\n"))
            if ratios.last ?? 0 < 3 { return }
        }
        Issue.record("one line takes \(ratios) times as long as many")
    }

    @Test func `very long lines run or are rejected, and the shell continues`() throws {
        let long = String(repeating: "x", count: 500_000)
        let asked = try take("SELECT LENGTH('\(long)') AS n FROM _;\n")
        #expect(asked.output == "{\"n\":500000}\n", "\(asked.errors.prefix(200))")
        let tooLong = String(repeating: "x", count: 2_000_000)
        let refused = try take("SELECT '\(tooLong)' FROM _;\nSELECT 1 AS a FROM _;\n")
        #expect(refused.output == "{\"a\":1}\n", "\(refused.errors.prefix(200))")
        #expect(refused.status == 4)
        // An unclosed quote includes what follows, up to a limit.
        let rest = String(repeating: String(repeating: " ", count: 999) + "\n", count: 1_100)
        let open = try take("SELECT 'x FROM _;\n" + rest)
        #expect(open.errors.contains("check for a missing quote or semicolon"), "\(open.status)")
    }
}
