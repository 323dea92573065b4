import DivanTestKit
import Testing

/// `divan import` reads comma-separated values as they are written by spreadsheets and databases.
@Suite struct CSVImportTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    private func importing(
        _ text: String,
        as file: String = "t.csv",
        _ options: String...
    ) throws -> Program.Outcome {
        try shell.write(file, text)
        return try shell.divan(["import", "db", file] + options)
    }

    private func body(_ id: String) throws -> String {
        try shell.run("get", "db", id, "--raw").output
    }

    @Test(arguments: [",", ";", "\t", "|"])
    func `the separator is detected in the first record, also between quoted keys`(
        _ separator: String
    ) throws {
        for quote in ["", "\""] {
            let keys = ["_id", "a", "b"].map { quote + $0 + quote }
                .joined(separator: separator)
            let row = ["x", "\"1\(separator)2\"", "3"].joined(separator: separator)
            try importing("\(keys)\n\(row)\n").expectSuccess()
            #expect(
                try body("x") == "{\"a\":\"1\(separator == "\t" ? "\\t" : separator)2\",\"b\":3}\n"
            )
            try shell.run("rm", "db", "x")
        }
    }

    @Test func `an ambiguous separator is decided by the other records`() throws {
        try importing("_id;price, net;unit\nx;1,5;kg\ny;2;m\n").expectSuccess()
        #expect(try body("x") == "{\"price, net\":\"1,5\",\"unit\":\"kg\"}\n")
        try importing("_id,a|b\nz,1\n", "--id-from", "_id").expectSuccess()
        #expect(try body("z") == "{\"a|b\":1}\n")
        try importing("a,b;c\n").expectFailure(4, "t.csv: ", "\",\" or \";\"", "--separator")
    }

    @Test func `the separator can be set by an option or Excel's sep= line`() throws {
        try importing("_id:a,b\nx:1\n", "--separator", ":").expectSuccess()
        #expect(try body("x") == "{\"a,b\":1}\n")
        try importing("_id;a,b\ny;1\n", "--separator", "semicolon").expectSuccess()
        #expect(try body("y") == "{\"a,b\":1}\n")
        try importing("_id,a;b\nc,1\n", "--separator", ",").expectSuccess()
        #expect(try body("c") == "{\"a;b\":1}\n")
        try importing("sep=;\r\n_id;a\r\nz;1\r\nw;1;2\r\n")
            .expectFailure(4, "t.csv:4: 3 fields, but 2 columns")
        #expect(try body("z") == "{\"a\":1}\n")
        for wrong in ["::", "\"", "é"] {
            try importing("_id:a\n", "--separator", wrong)
                .expectFailure(2, "' for '--separator'", "use one ASCII character, or 'tab'")
        }
    }

    @Test func `CSV and TSV files are read as tables, and other formats reject CSV options`() throws
    {
        try importing("_id\tv,w\nx\t1,2\n", as: "T.TSV").expectSuccess()
        #expect(try body("x") == "{\"v,w\":\"1,2\"}\n")
        try importing("{\"_id\":\"y\"}", as: "t.csv", "--from", "json").expectSuccess()
        for option in ["--separator", "--text"] {
            try importing("{}", as: "t.jsonl", option, "a").expectFailure(2, option, "--from csv")
        }
    }

    @Test(arguments: [
        ("_id,a\nx,1\ny,\"b\"c\n", "t.csv:3: a closing quote is followed by text"),
        ("_id,a\nx,b\"c\n", "t.csv:2: an unquoted field contains a quote"),
        ("_id,a\nx, \"b\"\n", "t.csv:2: an unquoted field contains a quote"),
        ("_id,a\nx,1\ny,\"two\nlines\"x\n", "t.csv:4: a closing quote is followed by text"),
        ("_id,a\nx,1\ny,\"open\n\n", "t.csv:3: a quote is not closed"),
        ("_id,\"a\"b\nx,1\n", "t.csv:1: a closing quote is followed by text"),
    ])
    func `a malformed quote is reported with its line`(_ text: String, _ problem: String) throws {
        try importing(text).expectFailure(4, problem)
    }

    @Test func `with --keep-going only the malformed row is skipped`() throws {
        let rows = ["_id,a", "x,\"b\"c", "y,1", "z,1,2", "w,b\"c\"", "v,\"2\"", ""]
        let outcome = try importing(rows.joined(separator: "\n"), "--keep-going")
        #expect(outcome.status == 8, "\(outcome)")
        for line in ["t.csv:2: ", "t.csv:4: 3 fields", "t.csv:5: "] {
            #expect(outcome.errors.contains(line), "\(outcome)")
        }
        #expect(try shell.run("ls", "db").output == "v\ny\n")
    }

    @Test(arguments: [
        ("1", "1"), ("-5", "-5"), ("2.5", "2.5"), ("0", "0"), ("true", "true"),
        ("18446744073709551615", "18446744073709551615"),
        ("123456789012345678901234567890", "123456789012345678901234567890"), ("0E0", nil),
        ("0e0", nil), ("007", nil), ("1.50", nil), ("1E5", nil), ("1e5", nil), ("-0", nil),
        ("+1", nil), (" 1", nil), ("1 ", nil), (" true", nil), ("1_000", nil), ("0x1F", nil),
        ("NaN", nil), (".5", nil), ("1.", nil), ("[1]", nil),
        ("{}", nil),
    ])
    func `a field is imported as a number only if it is a canonical JSON number`(
        _ field: String,
        _ json: String?
    ) throws {
        try importing("_id,v\nx,\(field)\n").expectSuccess()
        #expect(try body("x") == "{\"v\":\(json ?? "\"\(field)\"")}\n")
        // What is exported is read back as the same.
        try shell.run("export", "db", "again.csv")
        try shell.run("export", "db", "rows.csv", "--query", "SELECT META().id AS _id, v FROM _")
        for file in ["again", "rows"] {
            try shell.run("new", file)
            try shell.run("import", file, "\(file).csv")
            let again = try shell.run("get", file, "x", "--raw").output
            let isLong = field.count > 18 && json != nil
            #expect(again == (try body("x")) || isLong && file == "rows", "\(file)")
        }
    }

    @Test func `--text imports a column as text`() throws {
        let text = "_id,zip,n\nx,01067,1\ny,8001,2\nz,null,3\nw,,4\n"
        try importing(text, "--text", "zip").expectSuccess()
        #expect(try body("y") == "{\"n\":2,\"zip\":\"8001\"}\n")
        #expect(try body("z") == "{\"n\":3,\"zip\":\"null\"}\n")
        #expect(try body("w") == "{\"n\":4}\n")
        try importing(text, "--text", "zip,n").expectSuccess()
        #expect(try body("y") == "{\"n\":\"2\",\"zip\":\"8001\"}\n")
        try importing(text, "--text", "zpi")
            .expectFailure(4, "no column is named 'zpi'", "_id, zip, n")
    }

    private static let mark = "\\xef\\xbb\\xbf"

    @Test(arguments: [
        "printf '\(mark)_id,v\\nx,1\\n' >f.csv; divan import db f.csv",
        "printf '\(mark)sep=;\\n_id;v\\nx;1\\n' >f.csv; divan import db f.csv",
        "printf '\(mark){\"_id\":\"x\",\"v\":1}\\n' | divan import db -",
        "printf '\(mark)[{\"_id\":\"x\",\"v\":1}]' | divan import db -",
        "printf '\(mark){\"docs\":[{\"_id\":\"x\",\"v\":1}]}' | divan import db - --from couchdb",
        "mkdir d; printf '\(mark){\"v\":1}' >d/x.json; divan import db d",
        "printf '\(mark){\"v\":1}' | divan put db x", "divan put db x $'\(mark){\"v\":1}'",
        """
        divan put db x '{"v":1}'; divan dump db d
        (printf '\(mark)'; cat d) >e; divan rm db x; mv db.cblite2 old; divan restore db e
        """,
        """
        divan put db x '{"v":2}'
        echo '#!/bin/sh' >editor
        echo "printf '\\357\\273\\277{\\"v\\":1}' >\\$1" >>editor; chmod +x editor
        EDITOR=./editor divan edit db x
        """,
    ])
    func `a byte order mark is ignored in JSON and CSV`(_ script: String) throws {
        try shell.bash(script).expectSuccess()
        #expect(try body("x") == "{\"v\":1}\n")
    }
}
