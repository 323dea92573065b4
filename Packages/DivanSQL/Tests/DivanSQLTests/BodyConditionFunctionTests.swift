import DivanTestKit
import Testing

/// Functions that decide a condition in the body, against those that return its values to SQLite.
@Suite("Conditions decided in a body")
struct BodyConditionFunctionTests {
    private static let numbers = [
        "0", "1", "-0", "1.0", "1e0", "1e999", "-1e999", "99", "9007199254740993",
        "9007199254740992.0", "9223372036854775807", "9223372036854775808", "1E2",
        "123456789012345678901234567890",
    ]
    /// Spellings inside a string, with escapes, quotes, and bytes that are no UTF-8.
    private static let texts: [[UInt8]] =
        [
            "", "x", "abc", #"\u0041bc"#, #"a\nb"#, #"a\\nb"#, #"a\"b"#, #"\ud83d\ude00"#,
            #"\u0000z"#,
            #"a\\"#, "ä", #"\u00e4"#, "99", "a long text of more than sixteen bytes, 99",
        ].map { Array($0.utf8) } + [[0xFF, 0xFE]]
    private static let keys = ["a", "b", "n", "tags", #"\u0061"#, "zz"]
    private static let paths = [
        ".a", ".b", ".tags", ".a.n", ".tags[0]", ".tags[-1].a", ".a.b.n", ".zz",
    ]
    private static let patterns = ["%99%", "%", "t_", "a%b", "_", #"%\%%"#, "%b", "", "99"]
    /// Values in plain form.
    private static let sought = [
        "NULL", "x''", "0", "1", "99", "1.0", "9007199254740993", "9e999", "''", "'x'", "'abc'",
        "'Abc'", "'99'", #"'a\nb'"#, "'a' || char(10) || 'b'", #"'a"b'"#, #"'a\"b'"#, "'ä'",
        #"'a\'"#,
        "'a long text of more than sixteen bytes, 99'", "x'fffe'", "CAST(x'fffe' AS TEXT)",
        "CAST('[]' AS BLOB)", #"CAST('{"a":1}' AS BLOB)"#, "CAST('[1]' AS BLOB)",
    ]

    private var generator: SeededGenerator

    init() {
        let seed = TestSeed.choose()
        print("seed: \(seed)")
        generator = SeededGenerator(seed: seed)
    }

    private mutating func pick<T>(_ list: [T]) -> T {
        list[.random(in: 0..<list.count, using: &generator)]
    }

    private mutating func value(_ depth: Int) -> [UInt8] {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &generator) {
        case 0: return Array("null".utf8)
        case 1: return Array((Bool.random(using: &generator) ? "true" : "false").utf8)
        case 2: return Array(pick(Self.numbers).utf8)
        case 3, 4, 5: return [0x22] + pick(Self.texts) + [0x22]
        case 6, 7: return container("[", "]") { $0.value(depth - 1) }
        default: return object(depth)
        }
    }

    private mutating func object(_ depth: Int) -> [UInt8] {
        container("{", "}") { maker in
            let key = "\"\(maker.pick(Self.keys))\""
            let colon = maker.pick([":", ":", " : "])
            return Array((key + colon).utf8) + maker.value(depth - 1)
        }
    }

    private mutating func container(
        _ opening: String,
        _ closing: String,
        _ item: (inout Self) -> [UInt8]
    ) -> [UInt8] {
        var text = Array(opening.utf8)
        for number in 0..<Int.random(in: 0...4, using: &generator) {
            if number > 0 { text += Array(pick([",", ",", " ,\n"]).utf8) }
            text += item(&self)
        }
        return text + Array(closing.utf8)
    }

    /// A body, one in three of them damaged; in SQL.
    private mutating func makeBody() -> String {
        var bytes = object(4)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes = Array(bytes.prefix(.random(in: 0...bytes.count, using: &generator)))
        case 1:
            // Not at the beginning, where a byte 4 marks a packed body.
            bytes[.random(in: 1..<bytes.count, using: &generator)] = .random(
                in: 1...255,
                using: &generator
            )
        default: break
        }
        return "CAST(x'\(bytes.hexText)' AS TEXT)"
    }

    @Test("They agree with SQLite's operators, whatever is in the body")
    mutating func agreement() throws {
        let scratch = try Scratch()
        var trueCounts = [0, 0, 0]
        for _ in 0..<4_000 {
            let (body, path) = (makeBody(), pick(Self.paths))
            let sought = pick(Self.sought)
            let (item, pattern, folding) = (
                pick(["", ".n", ".a", ".a.b", "[0]"]), pick(Self.patterns), pick([0, 0, 1, 2])
            )
            let member = item.isEmpty ? "v.value" : "divan_member1(v.result, '\(item)')"
            func exists(_ items: String) -> String {
                "EXISTS (SELECT 1 FROM divan_items1(\(items)) AS v WHERE \(member) = \(sought))"
            }
            let result = "divan_result1(body, '\(path)')"
            let pairs = [
                (
                    "divan_equals1(body, '\(path)', \(sought))",
                    "divan_value1(body, '\(path)') = \(sought)"
                ),
                ("divan_any_equals1(body, '\(path)', '\(item)', \(sought), 0)", exists(result)),
                (
                    "divan_any_equals1(body, '\(path)', '\(item)', \(sought), 1)",
                    exists("divan_container1(\(result))")
                ),
                (
                    "divan_like_property1(body, '\(path)', '\(pattern)', \(folding))",
                    "divan_like2(\(result), '\(pattern)', \(folding))"
                ),
            ]
            for (number, pair) in pairs.enumerated() {
                let row = try scratch.rows(
                    "SELECT \(pair.0), \(pair.1) FROM (SELECT \(body) AS body)"
                )[0]
                #expect(row[0] == row[1], "\(pair.0) of \(body)")
                if row[1] == "1" { trueCounts[(number + 1) / 2] += 1 }
            }
        }
        // The trial reaches every kind of outcome.
        #expect(trueCounts.allSatisfy { $0 > 0 })
    }

    @Test("A body that is absent has no property and no items")
    func absence() throws {
        let scratch = try Scratch()
        #expect(try scratch.value("divan_equals1(NULL, '.a', 1)") == "MISSING")
        #expect(try scratch.value("divan_any_equals1(NULL, '.a', '', 1, 0)") == "0")
        #expect(try scratch.value("divan_like_property1(NULL, '.a', '%', 0)") == "MISSING")
    }

    @Test("An invalid path, and a compressed body without a codec, are errors")
    func failures() throws {
        let scratch = try Scratch()
        for body in ["'{}'", "x'0401'"] {
            let path = body == "'{}'" ? "a" : ".a"
            #expect(throws: Scratch.Failure.self) {
                try scratch.value("divan_equals1(\(body), '\(path)', 1)")
            }
            #expect(throws: Scratch.Failure.self) {
                try scratch.value("divan_any_equals1(\(body), '\(path)', '', 1, 0)")
            }
            #expect(throws: Scratch.Failure.self) {
                try scratch.value("divan_like_property1(\(body), '\(path)', '%', 0)")
            }
        }
    }
}
