import DivanSQL
import DivanTestKit
import Testing

@Suite("Work limits")
struct WorkTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("An exponential or malformed regular expression ends with an error")
    func explodingExpression() {
        let text = String(repeating: "a", count: 80) + "b"
        for pattern in ["(a|aa)+$", "("] {
            #expect(throws: Scratch.Failure.self) {
                try scratch.value("divan_regexp_contains1('\(text)', '\(pattern)')")
            }
        }
    }

    /// Each comparison with a group is one operation, however long the group's text is.
    @Test("A slow regular expression with a back-reference also ends with an error")
    func comparingExpression() throws {
        let text = String(repeating: "a", count: 40_000)
        let time = processorTime {
            _ = #expect(throws: Scratch.Failure.self) {
                try scratch.value("divan_regexp_contains1('\(text)', '(a*?)\\1c')")
            }
        }
        #expect(time < .seconds(5), "some hundred milliseconds on a quiet machine")
        let found = try scratch.value("divan_regexp_position1('\(text)xbxb', '(xb)\\1')")
        #expect(found == "40000")
    }

    @Test("A LIKE pattern with many wildcards is matched in linear time")
    func explodingPattern() throws {
        let text = String(repeating: "a", count: 200_000)
        let pattern = String(repeating: "%a", count: 1_000) + "%b"
        #expect(try scratch.value("divan_like1('\(text)', '\(pattern)', 0)") == "0")
    }

    @Test("A key that is absent or last is searched for once")
    func absentKeys() throws {
        let members = (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let body = "'{\(members)}'"
        let sql = "SELECT divan_value1(\(body), '.a'), divan_value1(\(body), '.k19999')"
        #expect(try scratch.rows(sql) == [["MISSING", "19999"]])
    }

    @Test("Deeply nested containers do not exhaust the stack")
    func nesting() throws {
        let deep = String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000)
        let length = try scratch.value("length(divan_value1('{\"a\": \(deep)}', '.a'))")
        #expect(length == "100000")
    }
}

/// What is stopped within one call.
@Suite("Stopping functions")
struct FunctionStopTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(
        "A running function checks whether to stop, and then fails",
        arguments: [
            #"divan_regexp_contains2($t, 'a(?=.*)c')"#,
            #"divan_regexp_contains2($t, '(?:a(?=.*))*c')"#,
            #"divan_regexp_contains2($t, '(a*?)\1c')"#, #"divan_regexp_contains2($t, '(a|aa)+c')"#,
            #"divan_regexp_replace2($t, 'a(?=.*)', '')"#,
            "divan_like2($t, '%' || substr(replace($t, 'a', '_'), 1, 20000) || 'b%', 0)",
            #"divan_like_property1('{"a":{"c":"' || $t || '"}}', '.a.b', '%', 0)"#,
            "divan_is_item1('b', CAST('[' || replace($t, 'a', '\"a\",') || '1]' AS BLOB))",
            "divan_plain1(CAST(replace(substr($t, 1, 100), 'a', '[') || replace($t, 'a', '1,') || '1' "
                + "|| replace(substr($t, 1, 100), 'a', ']') AS BLOB))",
            "$t || '' = $t COLLATE divan_unicode",
            "(SELECT count(*) FROM divan_items1(CAST('[' || replace($t, 'a', '1,') || '1]' AS BLOB)))",
        ]
    )
    func stopping(call: String) throws {
        let text = "'\(String(repeating: "a", count: 300_000))'"
        var questions = 0
        let stop = FunctionStop {
            questions += 1
            return true
        }
        #expect(throws: (any Error).self) {
            try stop.within {
                _ = try scratch.value(call.replacing("$t", with: text))
                // A collation only ends early.
                if stop.wasStopped { throw Scratch.Failure(description: "stopped") }
            }
        }
        #expect(stop.wasStopped)
        #expect(questions == 1)
    }

    @Test("A regular expression of up to 8 KiB is compiled once for all its calls")
    func longExpressions() throws {
        let longest = String(repeating: "a{0,9}", count: 1_365)
        var questions = 0
        let stop = FunctionStop {
            questions += 1
            return false
        }
        for _ in 0..<10 {
            let found = try stop.within {
                try scratch.value("divan_regexp_contains2('x', '\(longest)')")
            }
            #expect(found == "1")
        }
        #expect(questions == 1, "it asks before it compiles")
        for pattern in [longest + "abc", "(?i)" + String(repeating: #"[\p{L}]"#, count: 40)] {
            #expect(throws: Scratch.Failure.self) {
                try scratch.value("divan_regexp_contains2('x', '\(pattern)')")
            }
            let stored = try scratch.value("divan_stored_regexp_contains1('x', '\(pattern)')")
            #expect(stored == "MISSING")
        }
    }

    @Test("Many combining marks after a character are equal in any order")
    func marks() throws {
        let (grave, below) = ("\u{300}", "\u{316}")
        let mixed = String(repeating: grave + below, count: 100)
        let sorted = String(repeating: below, count: 100) + String(repeating: grave, count: 100)
        #expect(try scratch.value("divan_like2('a\(mixed)b', 'a\(sorted)_', 2)") == "1")
        #expect(try scratch.value("divan_contains2('xa\(mixed)b', 'a\(sorted)b', 2)") == "1")
    }
}
