import Testing

@Suite("Bounds of work")
struct WorkTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("A regular expression that explodes, or is none, ends with an error")
    func explodingExpression() {
        let text = String(repeating: "a", count: 80) + "b"
        for pattern in ["(a|aa)+$", "("] {
            #expect(throws: Scratch.Failure.self) {
                try scratch.value("divan_regexp_contains1('\(text)', '\(pattern)')")
            }
        }
    }

    /// Each comparison with a group is one operation, however long the group's text is.
    @Test("A regular expression that compares with a group ends, too")
    func comparingExpression() throws {
        let text = String(repeating: "a", count: 40_000)
        let time = ContinuousClock().measure {
            _ = #expect(throws: Scratch.Failure.self) {
                try scratch.value("divan_regexp_contains1('\(text)', '(a*?)\\1c')")
            }
        }
        #expect(time < .seconds(5), "some hundred milliseconds on a quiet machine")
        let found = try scratch.value("divan_regexp_position1('\(text)xbxb', '(xb)\\1')")
        #expect(found == "40000")
    }

    @Test("A LIKE pattern of many runs is matched in linear time")
    func explodingPattern() throws {
        let text = String(repeating: "a", count: 200_000)
        let pattern = String(repeating: "%a", count: 1_000) + "%b"
        #expect(try scratch.value("divan_like1('\(text)', '\(pattern)', 0)") == "0")
    }

    @Test("A key that is absent, or last, is looked for once")
    func absentKeys() throws {
        let members = (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let body = "'{\(members)}'"
        let sql = "SELECT divan_value1(\(body), '.a'), divan_value1(\(body), '.k19999')"
        #expect(try scratch.rows(sql) == [["MISSING", "19999"]])
    }

    @Test("Containers nested deep do not exhaust the stack")
    func nesting() throws {
        let deep = String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000)
        let length = try scratch.value("length(divan_value1('{\"a\": \(deep)}', '.a'))")
        #expect(length == "100000")
    }
}
