import DivanCommandLine
import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `divan DATABASE` on a terminal.
@Suite(.timeLimit(.minutes(5))) struct ShellTerminalTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "shop")
        for (id, name) in [("c1", "Oslo"), ("c2", String(repeating: "long ", count: 30))] {
            try shell.run("put", "shop", id, #"{"name":"\#(name)","note":"\#(name)","price":5}"#)
        }
    }

    private func terminal(_ columnCount: Int, _ words: String...) throws -> PseudoTerminal {
        try PseudoTerminal(
            shell,
            words,
            environment: ["HOME": shell.path("home"), "NO_COLOR": "1"],
            columnCount: columnCount
        )
    }

    /// Reads until the terminal was sent a text; the screen omits blanks at the end of a line.
    private func wait(
        _ terminal: PseudoTerminal,
        for text: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        try terminal.waits(location) { _ in terminal.output.contains(text) }
    }

    @Test(arguments: [
        "get shop odd", "get shop odd --raw", "ls shop --body", "export shop", "dump shop",
        "query shop SELECT|*|FROM|_ --format json", "query shop SELECT|*|FROM|_ --format jsonl",
        "query shop SELECT|text|FROM|_ --format csv", "query shop SELECT|text|FROM|_",
    ])
    func `control characters in documents are not sent to the terminal`(words: String) throws {
        let body = #"{"text":"\u001b]0;t\u0007a\u009b31mb\u202ec"}"#
        try shell.run("put", "shop", "odd", body)
        let words = words.split(separator: " ").map {
            $0.split(separator: "|").joined(separator: " ")
        }
        let terminal = try PseudoTerminal(
            shell,
            words,
            environment: ["HOME": shell.path("home"), "NO_COLOR": "1", "PAGER": ""],
            columnCount: 200
        )
        #expect(terminal.end() == 0)
        for mark in ["\u{1B}]", "\u{7}", "\u{9B}", "\u{202E}"] {
            #expect(!terminal.output.contains(mark), "\(words)")
        }
    }

    @Test(arguments: [40, 80, 200]) func `a table fits the width of the terminal`(
        columnCount: Int
    ) throws {
        let terminal = try terminal(
            columnCount,
            "query",
            "shop",
            "SELECT META().id, name, note, price FROM _ ORDER BY META().id"
        )
        #expect(terminal.end() == 0)
        let lines = terminal.output.split(whereSeparator: \.isNewline)
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.count <= columnCount })
        #expect(lines[0].hasPrefix("id") && lines[0].hasSuffix("price"))
        #expect(lines[2].contains("Oslo"))
    }

    @Test(arguments: [40, 80, 200])
    func `wide characters and many columns fit the width of the terminal`(columnCount: Int) throws {
        let wide = String(repeating: "椅子", count: 60)
        try shell.run("put", "shop", "wide", #"{"kind":"wide","text":"\#(wide)","after":"end"}"#)
        let condition = "FROM _ WHERE kind = 'wide'"
        let table = try terminal(columnCount, "query", "shop", "SELECT text, after \(condition)")
        #expect(table.end() == 0)
        let lines = table.output.split(whereSeparator: \.isNewline).map { String($0) }
        #expect(lines.allSatisfy { $0.cellCount <= columnCount }, "\(lines)")
        let place = try #require(lines.first?.range(of: "after")?.lowerBound)
        let end = try #require(lines.last?.range(of: "end")?.lowerBound)
        #expect(
            String(lines[0][..<place]).cellCount == String(lines[2][..<end]).cellCount,
            "the columns are aligned by cells"
        )

        let columns = (1...12).map { "after AS column\($0)" }.joined(separator: ", ")
        let many = try terminal(columnCount, "query", "shop", "SELECT \(columns) \(condition)")
        #expect(many.end() == 0)
        let found = many.output.split(whereSeparator: \.isNewline).map { String($0) }
        #expect(found.allSatisfy { $0.cellCount <= columnCount }, "\(found)")
        // If twelve columns do not fit, each has its own line.
        #expect(found.count == (columnCount == 40 ? 13 : 3), "\(found)")
    }

    @Test(arguments: TestLength.of([80], long: [40, 80, 200]))
    func `creating an index shows progress, and Ctrl-C cancels it`(columnCount: Int) throws {
        let story = String(repeating: "word of a story ", count: 60)
        let lines = (0..<15_000).map { #"{"_id":"d\#($0)","story":"\#(story)\#($0)"}"# }
        try lines.joined(separator: "\n").write(
            toFile: shell.path("stories.jsonl"),
            atomically: true,
            encoding: .utf8
        )
        try shell.run("import", "shop", "stories.jsonl", "-c", "stories")
        let words = ["index", "make", "shop", "words", "story", "--text", "-c", "stories"]
        let making = try PseudoTerminal(
            shell,
            words,
            environment: ["HOME": shell.path("home"), "NO_COLOR": "1"],
            columnCount: columnCount
        )
        try making.waits { $0.text.contains(" of 15,000 indexed") }
        #expect(making.screen.text.split(separator: "\n").allSatisfy { $0.count < columnCount })
        making.type("\u{3}")
        #expect(making.end() == 130)
        #expect(making.output.contains("the indexes are unchanged"))
        #expect(try shell.run("index", "ls", "shop", "-c", "stories").output.isEmpty)
        try shell.run("check", "shop")
    }

    @Test func `output to a file or pipe is not truncated`() throws {
        let long = String(repeating: "x", count: 300)
        try shell.run("put", "shop", "long", #"{"kind":"long","text":"\#(long)","after":"end"}"#)
        let sql = "SELECT text, after FROM _ WHERE kind = 'long'"
        let output = try shell.run("query", "shop", sql).output
        #expect(output.hasSuffix("\(long)  end\n"), "\(output)")
        let none = "SELECT text FROM _ WHERE kind = 'none'"
        #expect(
            try shell.run("query", "shop", none, "-f", "markdown").output == "| text |\n|---|\n"
        )
    }

    @Test(arguments: ["", "1"]) func `titles are bold unless NO_COLOR is set`(value: String) throws
    {
        let terminal = try PseudoTerminal(
            shell,
            ["query", "shop", "SELECT price FROM _"],
            environment: ["HOME": shell.path("home"), "NO_COLOR": value]
        )
        #expect(terminal.end() == 0)
        #expect(terminal.output.contains("\u{1B}[1mprice\u{1B}[0m") == value.isEmpty)
        #expect(terminal.output.contains("price"))
    }

    /// Prints numbered rows on a terminal of 24 lines; `PAGER` is a shell command.
    private func rows(_ count: Int, pager: String, _ options: String...) throws -> PseudoTerminal {
        let numbers = (0..<count).map { "\($0)" }.joined(separator: ",")
        try shell.run("put", "shop", "many", #"{"n":[\#(numbers)]}"#)
        return try PseudoTerminal(
            shell,
            ["query", "shop", "SELECT i FROM _ AS d UNNEST d.n AS i"] + options,
            environment: ["HOME": shell.path("home"), "NO_COLOR": "1", "PAGER": pager]
        )
    }

    @Test func `rows that do not fit the screen are shown in the pager`() throws {
        let few = try rows(20, pager: "cat > few")
        #expect(few.end() == 0)
        #expect(few.output.split(whereSeparator: \.isNewline).count == 22)
        #expect(throws: (any Error).self) { try shell.text("few") }
        let many = try rows(30, pager: "cat > many")
        #expect(many.end() == 0)
        #expect(many.output.isEmpty)
        #expect(try shell.text("many").split(separator: "\n").count == 32)
        let plain = try rows(30, pager: "cat > plain", "--no-pager")
        #expect(plain.end() == 0)
        #expect(plain.output.split(whereSeparator: \.isNewline).count == 32)
        let none = try rows(30, pager: "")
        #expect(none.end() == 0)
        #expect(none.output.split(whereSeparator: \.isNewline).count == 32)
    }

    @Test func `quitting the pager ends the query, and a missing pager is reported`() throws {
        let left = try rows(15_000, pager: "head -n 3 > left")
        #expect(left.end() == 0)
        #expect(try shell.text("left").split(separator: "\n").count == 3)
        let missing = try rows(30, pager: "no-such-pager")
        #expect(missing.end() == 1)
        #expect(missing.output.contains("--no-pager"))
    }

    @Test func `a query can have several lines, and words are completed`() throws {
        let terminal = try terminal(80, "shop")
        try wait(terminal, for: "shop> ")
        terminal.type("SELECT name FROM _\n")
        try wait(terminal, for: "...> ")
        terminal.type("WHERE META().id = 'c1';\n")
        try wait(terminal, for: "Oslo")
        terminal.type(".mo\tjsonl\n")
        terminal.type("SELECT COU\t(*) AS n FROM _;\n")
        try wait(terminal, for: #"{"n":2}"#)
        terminal.type("SELECT LENTGH(name) FROM _;\n")
        try wait(terminal, for: "did you mean LENGTH?")
        terminal.type(".help\n")
        try wait(terminal, for: ".timer")
        terminal.type(".quit\n")
        #expect(terminal.end() == 0)
    }

    @Test func `Ctrl-C stops a query, and the shell continues`() throws {
        let terminal = try terminal(80, "shop")
        try wait(terminal, for: "shop> ")
        let sources = (0..<40).map { "JOIN _ AS j\($0) ON TRUE" }.joined(separator: " ")
        terminal.type(".mode jsonl\n")
        terminal.type("SELECT COUNT(*) AS n FROM _ AS a \(sources);\n")
        // The question never ends by itself, and nothing shows when it has begun: a key pressed
        // before would discard the line.
        let pressing = DispatchSource.makeTimerSource(queue: .global())
        pressing.schedule(deadline: .now() + 2, repeating: 5)
        pressing.setEventHandler { terminal.signal(.interrupt) }
        pressing.resume()
        defer { pressing.cancel() }
        try wait(terminal, for: "cancelled")
        pressing.cancel()
        terminal.type("SELECT 6 * 7 AS n FROM _ LIMIT 1;\n")
        try wait(terminal, for: #"{"n":42}"#)
        // Not Ctrl-D: the editor shows its prompt before it has the terminal, which may handle the key itself.
        terminal.type(".quit\n")
        #expect(terminal.end() == 0)
    }

    /// Opens the shell and waits for its prompt.
    private func open(_ columnCount: Int = 80, pager: String = "") throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(
            shell,
            ["shop"],
            environment: ["HOME": shell.path("home"), "NO_COLOR": "1", "PAGER": pager],
            columnCount: columnCount
        )
        try wait(terminal, for: "shop> ")
        terminal.type(".mode jsonl\n")
        return terminal
    }

    @Test(arguments: [40, 80, 200])
    func `Ctrl-C discards the typed text`(columnCount: Int) throws {
        let terminal = try open(columnCount)
        terminal.type("SELECT 'never' AS a\n")
        try wait(terminal, for: "...> ")
        terminal.type("FROM _ WHERE 'one quote")
        try wait(terminal, for: "one quote")
        terminal.signal(.interrupt)
        // The second prompt of a question is gone: the next line begins one.
        try terminal.waits { _ in terminal.output.hasSuffix("shop> ") }
        terminal.type("SELECT 6 * 7 AS n FROM _ LIMIT 1;\n")
        try wait(terminal, for: #"{"n":42}"#)
        // While a question is running it would stop that.
        try terminal.waits { _ in terminal.output.hasSuffix("shop> ") }
        terminal.type("\u{3}")
        try wait(terminal, for: "press Ctrl-D to exit")
        terminal.type("quit\n")
        #expect(terminal.end() == 0)
        #expect(!terminal.output.contains("never\"}"))
    }

    @Test func `Ctrl-C discards text typed before the prompt`() throws {
        let terminal = try PseudoTerminal(
            shell,
            ["shop"],
            environment: ["HOME": shell.path("home"), "NO_COLOR": "1", "PAGER": ""]
        )
        // No whole line, which the signal might stop instead.
        terminal.type("SELECT 'one quote")
        try wait(terminal, for: "shop> ")
        terminal.signal(.interrupt)
        try wait(terminal, for: "press Ctrl-D to exit")
        try terminal.waits { _ in terminal.output.hasSuffix("shop> ") }
        terminal.type(".mode jsonl\nSELECT 6 * 7 AS n FROM _ LIMIT 1;\n")
        try wait(terminal, for: #"{"n":42}"#)
        terminal.type(".quit\n")
        #expect(terminal.end() == 0)
    }

    @Test func `Ctrl-D typed before the prompt ends the shell`() throws {
        let terminal = try PseudoTerminal(
            shell,
            ["shop"],
            environment: ["HOME": shell.path("home"), "NO_COLOR": "1", "PAGER": ""]
        )
        terminal.type(".mode jsonl\nSELECT 6 * 7 AS n FROM _ LIMIT 1;\n\u{4}")
        #expect(terminal.end() == 0)
        #expect(terminal.output.contains(#"{"n":42}"#))
    }

    @Test func `Ctrl-C discards the text before it, not after it`() throws {
        let terminal = try open()
        // The editor has the terminal: only it shows what is typed.
        let begin = ContinuousClock.now
        while terminal.isEchoing, ContinuousClock.now - begin < .seconds(30) {
            CurrentThread.yield()
        }
        // Once it has shown a key, Ctrl-C is a key as well; before, it is a signal, which discards all.
        terminal.type("SELECT 'never")
        try wait(terminal, for: "SELECT 'never")
        terminal.type("\u{3}SELECT 6 * 7 AS n FROM _ LIMIT 1;\n")
        try wait(terminal, for: #"{"n":42}"#)
        // Whether the editor already has the terminal or not, it is not lost.
        for _ in 0..<20 {
            try terminal.waits { _ in terminal.output.hasSuffix("shop> ") }
            let count = terminal.output.components(separatedBy: "press Ctrl-D").count
            terminal.type("\u{3}")
            try terminal.waits { _ in
                terminal.output.components(separatedBy: "press Ctrl-D").count > count
            }
        }
        terminal.type(".quit\n")
        #expect(terminal.end() == 0)
    }

    @Test func `the prompt shows an open quote, and non-ASCII text can be typed`() throws {
        let terminal = try open()
        terminal.type("SELECT 'Smørrebrød\n")
        try wait(terminal, for: "'..> ")
        terminal.type("椅子' AS word FROM _ LIMIT 1;\n")
        try wait(terminal, for: #"{"word":"Smørrebrød\n椅子"}"#)
        terminal.type("exit\n")
        #expect(terminal.end() == 0)
    }

    @Test func `two queries on a line both run`() throws {
        let terminal = try open()
        terminal.type("SELECT 1 + 1 AS a FROM _ LIMIT 1; SELECT 2 + 2 AS b FROM _ LIMIT 1;\n")
        try wait(terminal, for: #"{"b":4}"#)
        #expect(terminal.output.contains(#"{"a":2}"#))
        terminal.type("SELECT 1\n")
        try wait(terminal, for: "...> ")
        terminal.type("\u{4}")
        #expect(terminal.end() == 0)
        #expect(terminal.output.contains("has no semicolon, and was not run"))
    }

    @Test func `collections, properties and dot commands are completed`() throws {
        try shell.run("collections", "shop", "--make", "stock.chairs")
        let terminal = try open()
        terminal.type(".mo\tcs\t\n")
        terminal.type(".mode\n")
        try wait(terminal, for: "\ncsv")
        terminal.type(".mode jsonl\n")
        terminal.type("SELECT COUNT(*) AS none FROM sto\t;\n")
        try wait(terminal, for: #"{"none":0}"#)
        terminal.type("SELECT c.no\t AS found FROM _ AS c WHERE c.pri\t = 5 ORDER BY 1 LIMIT 1;\n")
        try wait(terminal, for: #"{"found":"Oslo"}"#)
        terminal.type(".quit\n")
        #expect(terminal.end() == 0)
    }

    @Test func `rows are shown in the pager, and the shell continues`() throws {
        let terminal = try open(pager: "cat > paged")
        let numbers = (0..<100).map { "\($0)" }.joined(separator: ",")
        try shell.run("put", "shop", "many", #"{"n":[\#(numbers)]}"#)
        terminal.type("SELECT i FROM _ AS d UNNEST d.n AS i;\n")
        terminal.type("SELECT 6 * 7 AS n FROM _ LIMIT 1;\n")
        try wait(terminal, for: #"{"n":42}"#)
        #expect(try shell.text("paged").split(separator: "\n").count == 100)
        terminal.type(".pager off\n.quit\n")
        #expect(terminal.end() == 0)
    }

    @Test(arguments: [40, 80, 200])
    func `a line far longer than the terminal can be typed`(columnCount: Int) throws {
        let terminal = try open(columnCount)
        let long = String(repeating: "x", count: 3_000)
        for piece in stride(from: 0, to: 3_000, by: 500) {
            terminal.type(piece == 0 ? "SELECT LENGTH('" : "")
            terminal.type(String(long.dropFirst(piece).prefix(500)))
        }
        terminal.type("') AS n FROM _ LIMIT 1;\n")
        try wait(terminal, for: #"{"n":3000}"#)
        terminal.type(".quit\n")
        #expect(terminal.end() == 0)
    }
}
