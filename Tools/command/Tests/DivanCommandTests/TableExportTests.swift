import DivanTestKit
import Foundation
import Testing

/// Documents as tables, for programs that know SQLite or comma-separated values.
@Suite struct TableExportTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db", "--collections", "shop.menu")
        let lines = [
            #"{"_id":"a","name":"Ünï, \"quoted\"","n":1,"x":1.5,"ok":true,"tags":["u","v"]}"#,
            #"{"_id":"b","name":"5","n":-9007199254740993,"x":2,"ok":false,"Name":"other"}"#,
            #"{"_id":"c","name":"","n":null,"mixed":1,"evil\"; DROP TABLE x":"é"}"#,
            #"{"_id":"d","name":"line\nend","mixed":"one","big":123456789012345678901234567890}"#,
        ]
        try shell.write("in.jsonl", lines.joined(separator: "\n"))
        try shell.run("import", "db", "in.jsonl")
        try shell.run("put", "db", "tea", #"{"hot":true}"#, "-c", "shop.menu")
    }

    /// Queries the database as another program would.
    private func ask(_ file: String, _ sql: String) throws -> [[Any]] {
        let script = """
            import json, sqlite3, sys
            base = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
            assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            print(json.dumps([[c.decode() if isinstance(c, bytes) else c for c in row]
                for row in base.execute(sys.argv[2])]))
            """
        let python = try #require(Program.installed("python3"))
        let outcome = try python.run(["-c", script, shell.path(file), sql])
        let value = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        return try #require(value as? [[Any]], "\(outcome)")
    }

    @Test func `an SQLite export has a table for each collection`() throws {
        try shell.run("export", "db", "out.sqlite")
        let tables = try ask("out.sqlite", "SELECT name FROM sqlite_schema WHERE type = 'table'")
        #expect(Set(tables.compactMap { $0[0] as? String }) == ["_default", "shop.menu"])
        let rows = try ask(
            "out.sqlite",
            "SELECT _id, name, n, x, ok, tags FROM _default ORDER BY _id"
        )
        #expect(rows.count == 4)
        #expect(rows[0][1] as? String == "Ünï, \"quoted\"")
        #expect(rows[1][2] as? Int == -9_007_199_254_740_993, "no digit is lost")
        #expect(rows[0][3] as? Double == 1.5 && rows[0][4] as? Int == 1)
        #expect(rows[0][5] as? String == #"["u","v"]"#)
        #expect(rows[2][2] is NSNull && rows[3][3] is NSNull)
        let mixed = try ask(
            "out.sqlite",
            "SELECT mixed, typeof(mixed) FROM _default WHERE mixed <> ''"
        )
        #expect(mixed.allSatisfy { $0[1] as? String == "text" } && mixed.count == 2)
        let odd = try ask("out.sqlite", #"SELECT "evil""; DROP TABLE x", big FROM _default"#)
        #expect(odd.contains { $0[0] as? String == "é" })
        #expect(odd.contains { $0[1] as? String == "123456789012345678901234567890" })
        let bodies = try ask(
            "out.sqlite",
            "SELECT json_extract(_body, '$.Name'), _revision FROM _default WHERE _id = 'b'"
        )
        #expect(bodies[0][0] as? String == "other", "what has no column stands in the body")
        #expect((bodies[0][1] as? String)?.hasPrefix("1-") == true)
    }

    @Test func `an SQLite export can contain one collection with its blobs`() throws {
        _ = try shell.bash("head -c 300000 /dev/urandom >photo; : >nothing")
        for name in ["photo", "nothing"] {
            try shell.run("blob", "put", "db", "tea", name, name, "-c", "shop.menu")
        }
        try shell.run("export", "db", "out.sqlite3", "-c", "shop.menu", "--blobs")
        let tables = try ask("out.sqlite3", "SELECT name FROM sqlite_schema WHERE type = 'table'")
        #expect(Set(tables.compactMap { $0[0] as? String }) == ["_blobs", "shop.menu"])
        let script = """
            import sqlite3, sys
            rows = sqlite3.connect(sys.argv[1]).execute("SELECT content FROM _blobs")
            sys.exit(0 if {c for c, in rows} == {open(sys.argv[2], "rb").read(), b""} else 1)
            """
        let words = ["-c", script, shell.path("out.sqlite3"), shell.path("photo")]
        try #require(Program.installed("python3")).run(words).expectSuccess()
        let names = try FileManager.default.contentsOfDirectory(atPath: shell.directory)
        #expect(!names.contains { $0.hasPrefix(".divan") }, "\(names)")
    }

    /// SQLite would take them for changes of the new database.
    @Test(arguments: ["-wal", "-journal"])
    func `an SQLite export rejects a file with another database's log`(_ ending: String) throws {
        try shell.write("out.sqlite" + ending, "what was not written back")
        try shell.divan("export", "db", "out.sqlite")
            .expectFailure(10, "out.sqlite\(ending) exists, and belongs to another database")
        #expect(!FileManager.default.fileExists(atPath: shell.path("out.sqlite")))
        _ = try shell.bash("ln -s out.sqlite other.sqlite")
        try shell.divan("export", "db", "other.sqlite").expectFailure(10, ending)
        try shell.write("out.sqlite" + ending, "")
        try shell.run("export", "db", "out.sqlite")
        #expect(try ask("out.sqlite", "SELECT _id FROM _default").count == 4)
    }

    @Test func `a CSV export is imported unchanged`() throws {
        try shell.run("export", "db", "out.csv")
        try shell.run("new", "again")
        try shell.run("import", "again", "out.csv", "--from", "csv")
        for id in ["b", "c"] {
            let before = try shell.run("get", "db", id, "--raw").output
            #expect(try shell.run("get", "again", id, "--raw").output == before)
        }
        let table = try shell.run("get", "again", "a", "--json").json()
        #expect(table["tags"] as? String == #"["u","v"]"#, "as text, which the guide says")
        #expect(table["name"] as? String == "Ünï, \"quoted\"")
        #expect(try shell.run("get", "again", "d", "--raw").output.contains(#"line\nend"#))
    }

    @Test func `strings that look like other values stay strings in CSV`() throws {
        try shell.run("new", "texts")
        let body =
            #"{"a":"1","b":"007","c":"null","d":"","e":"true","f":"1e5","g":"x\u0000y","h":" 1"}"#
        try shell.run("put", "texts", "t", body)
        let query = "SELECT META().id AS _id, a, b, c, d, e, f, g, h FROM _"
        try shell.run("export", "texts", "all.csv")
        try shell.run("export", "texts", "rows.csv", "--query", query)
        for file in ["all", "rows"] {
            try shell.run("new", file)
            try shell.run("import", file, "\(file).csv", "--from", "csv")
            #expect(try shell.run("get", file, "t", "--raw").output == body + "\n")
        }
    }

    @Test func `a combining mark after a quote does not break CSV`() throws {
        try shell.run("new", "marks")
        let line = #"{"_id":"a","na\"\u0301me":"say \"\u0301hi\", you","other":1}"#
        try shell.write("marks.jsonl", line)
        try shell.run("import", "marks", "marks.jsonl")
        let before = try shell.run("get", "marks", "a", "--raw").output
        try shell.run("export", "marks", "marks.csv")
        try shell.run("new", "read")
        try shell.run("import", "read", "marks.csv", "--from", "csv")
        #expect(try shell.run("get", "read", "a", "--raw").output == before)
        try shell.run("export", "marks", "marks.sqlite")
        let columns = try ask("marks.sqlite", "SELECT name FROM pragma_table_info('_default')")
        let name = "na\"\u{301}me"
        #expect(columns.compactMap { $0[0] as? String }.contains(name))
        let query = try shell.run("query", "marks", "SELECT * FROM _", "--format", "csv").output
        #expect(!query.isEmpty)
    }

    @Test func `an SQLite export works with a pipe and rejects other formats' options`() throws {
        let outcome = try shell.bash(
            "mkfifo p.sqlite; cat p.sqlite >out.sqlite & divan export db p.sqlite; wait"
        )
        outcome.expectSuccess()
        #expect(try ask("out.sqlite", "SELECT count(*) FROM _default")[0][0] as? Int == 4)
        for words in [["x.csv", "--array"], ["x.sqlite", "--since", "1"], ["x.csv", "--blobs"]] {
            try shell.divan(["export", "db"] + words)
                .expectFailure(2, "cannot be used with x.", "use a .jsonl file")
        }
        try shell.divan(["export", "db", "x.sqlite", "--query", "SELECT 1 FROM _"])
            .expectFailure(2, "cannot be exported as SQLite tables")
        #expect(!FileManager.default.fileExists(atPath: shell.path("x.csv")))
    }

    @Test func `--format selects the format of any file and of standard output`() throws {
        try shell.run("export", "db", "by-name.csv")
        let table = try shell.run("export", "db", "--format", "csv")
        #expect(table.output == (try shell.text("by-name.csv")))
        #expect(table.errors.contains("Exported 4 documents"), "\(table.errors)")
        try shell.run("export", "db", "other", "--format", "csv")
        #expect(try shell.text("other") == table.output)
        try shell.run("export", "db", "tables", "--format", "sqlite")
        #expect(try ask("tables", "SELECT count(*) FROM _default")[0][0] as? Int == 4)
        let array = try shell.run("export", "db", "--format", "json").output
        #expect(array == (try shell.run("export", "db", "--array").output))
        let lines = try shell.run("export", "db", "x.csv", "--format", "jsonl")
        lines.expectSuccess()
        #expect(try shell.text("x.csv") == shell.run("export", "db").output)
        let rows = try shell.run(
            "export",
            "db",
            "--format",
            "csv",
            "--query",
            "SELECT META().id FROM _ ORDER BY 1"
        )
        #expect(rows.output.hasPrefix("id\r\n") || rows.output.hasPrefix("id\n"), "\(rows.output)")
    }

    @Test func `a table on a terminal cannot move its cursor`() throws {
        try shell.run("put", "db", "evil", #"{"text":"a\u001b[2Jb\nc"}"#)
        let terminal = try PseudoTerminal(shell, ["export", "db", "--format", "csv"])
        try terminal.waits(for: #"a\u{1b}[2Jb"#)
        #expect(terminal.end() == 0)
        let table = try shell.run("export", "db", "--format", "csv").output
        #expect(table.contains("a\u{1B}[2Jb\nc"))
    }

    @Test(arguments: [
        (["--format", "xml"], "use one of jsonl, json, csv, sqlite"),
        (["--format", "sqlite"], "add FILE"),
        (["--format", "sqlite", "--query", "SELECT 1 FROM _"], "use '--format csv'"),
        (["--format", "csv", "--blobs"], "leave one of them out"),
        (["--format", "jsonl", "--array"], "leave one of them out"),
    ])
    func `a format that does not fit the other options is refused`(
        _ options: [String],
        _ hint: String
    ) throws {
        try shell.divan(["export", "db"] + options).expectFailure(2, hint)
    }

    @Test func `rare properties get no column and are counted`() throws {
        var lines = (0..<300).map { #"{"_id":"r\#($0)","common":\#($0)}"# }
        lines.append(#"{"_id":"rare","seldom":1}"#)
        try shell.run("new", "many")
        try shell.write("many.jsonl", lines.joined(separator: "\n"))
        try shell.run("import", "many", "many.jsonl")
        let outcome = try shell.run("export", "many", "many.sqlite")
        #expect(outcome.errors.contains("1 rare property only in _body"))
        let columns = try ask("many.sqlite", "SELECT name FROM pragma_table_info('_default')")
        #expect(columns.compactMap { $0[0] as? String } == ["_id", "_revision", "_body", "common"])
        let file = shell.path("many.sqlite")
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
        #expect(size > 4_096)
    }

    @Test func `collection names that clash in SQLite lose no table`() throws {
        try shell.run("new", "alike", "--collections", "Users,users,sqlite_stat,a.Users,_default")
        for (number, name) in ["Users", "users", "sqlite_stat", "a.Users"].enumerated() {
            try shell.run("put", "alike", "d\(number)", #"{"n":1}"#, "-c", name)
        }
        let line = #"{"_id":"d","_Body":"mine","_revision":5,"_ID":"x","n":3}"#
        try shell.write("own.jsonl", line)
        try shell.run("import", "alike", "own.jsonl")
        try shell.run("export", "alike", "alike.sqlite")
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'"
        let tables = try ask("alike.sqlite", sql).compactMap { $0[0] as? String }
        #expect(tables.count == 5, "\(tables)")
        for table in tables where table != "_default" {
            #expect(try ask("alike.sqlite", "SELECT n FROM \"\(table)\"")[0][0] as? Int == 1)
        }
        let row = try ask("alike.sqlite", "SELECT n, json_extract(_body, '$._Body') FROM _default")
        #expect(row[0][0] as? Int == 3 && row[0][1] as? String == "mine")
    }
}
