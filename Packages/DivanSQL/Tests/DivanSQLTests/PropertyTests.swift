import DivanTestKit
import Testing

@Suite("Properties of a body")
struct PropertyTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(
        "A path finds its value regardless of other members and formatting",
        arguments: [
            (#"{"a":1}"#, ".a", "1"),
            (#"{"a":{"b":[10,20,[30]]}}"#, ".a.b[2][0]", "30"),
            (#"{"a":[1,2,3]}"#, ".a[-1]", "3"),
            (#"{"a":[1,2,3]}"#, ".a[-4]", "MISSING"),
            (#"{"b":"\"a\":1","c":2}"#, ".a", "MISSING"),
            (#"{"b":{"a":1},"c":2}"#, ".a", "MISSING"),
            (#"{"z":1,"a":2}"#, ".a", "2"),
            (#" { "z" : [ 1 , { "a" : 5 } ] , "a" : "x" } "#, ".a", "'x'"),
            (#"{"\u0061":7}"#, ".a", "7"),
            (#"{"z":"\\","\u0061":7}"#, ".a", "7"),
            (#"{"a.b":1}"#, #".a\2eb"#, "1"),
            (#"{"ä":1}"#, #".\c3\a4"#, "1"),
            (#"{"":4}"#, ".", "4"),
            (#"{"a":"line\nend \u00e9 \ud83d\ude00"}"#, ".a", "'line\nend é 😀'"),
            (#"{"a":-0.5e2}"#, ".a", "-50.0"),
            (#"{"a":9223372036854775807}"#, ".a", "9223372036854775807"),
            (#"{"a":9223372036854775808}"#, ".a", "9.223372036854776e+18"),
            (#"{"a":-9223372036854775808}"#, ".a", "-9223372036854775808"),
            (#"{"a":null}"#, ".a", "null"),
            (#"[1]"#, ".a", "MISSING"),
            (#"{"a""#, ".a", "MISSING"),
            (#"{"a":"#, ".a", "MISSING"),
            (#"{"a":[1,"#, ".a[1]", "MISSING"),
            ("", ".a", "MISSING"),
        ]
    )
    func paths(body: String, path: String, expected: String) throws {
        #expect(try scratch.value("divan_value1('\(body)', '\(path)')") == expected)
    }

    @Test("Every member is found, whatever its position, its length and its neighbors")
    func places() throws {
        let values = [
            "1", "-2.5", "true", "null", #""""#, #""x""#, #""a,b}]\"{[""#, "[]", "{}",
            #"[{"k":"}]"},[1,[2]]]"#, #"{"key07":{"key03":"]"}}"#,
            "\"" + String(repeating: "long ", count: 40) + "\"",
            "[" + Array(repeating: #"{"n":"leg","q":[1,2]}"#, count: 12).joined(separator: ",")
                + "]",
        ]
        let seed = TestSeed.choose()
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let count = Int.random(in: 1...12, using: &generator)
            let members = (0..<count).map { number in
                let value = values[.random(in: 0..<values.count, using: &generator)]
                return (key: "key\(number < 10 ? "0" : "")\(number)", value: value)
            }
            let spaced =
                Bool.random(using: &generator)
                ? ["{", ":", ",", "}"] : ["{ ", " : ", " ,\n", " }"]
            let body =
                spaced[0]
                + members.map { "\"\($0.key)\"\(spaced[1])\($0.value)" }.joined(
                    separator: spaced[2]
                )
                + spaced[3]
            for (key, value) in members {
                let found = try scratch.value("divan_value1('\(body)', '.\(key)')")
                let expected = try scratch.value("divan_body1('\(value)')")
                #expect(found == expected, "\(key) of \(body)")
            }
            for absent in ["key", "key0", "key99", "zz", "a", "n"] {
                #expect(try scratch.value("divan_value1('\(body)', '.\(absent)')") == "MISSING")
            }
        }
    }

    @Test("Values for comparisons follow the language, and results keep their exact type")
    func forms() throws {
        let body = #"'{"t":true,"f":false,"o":{"b":1,"a":[1, 2]}}'"#
        #expect(try scratch.value("divan_value1(\(body), '.t')") == "1")
        #expect(try scratch.value("divan_result1(\(body), '.t')") == "true")
        #expect(try scratch.value("divan_result1(\(body), '.f')") == "false")
        #expect(try scratch.value("divan_value1(\(body), '.o')") == #"{"a":[1,2],"b":1}"#)
        #expect(try scratch.value("divan_result1(\(body), '.o')") == #"{"b":1,"a":[1, 2]}"#)
        #expect(try scratch.value("divan_plain1(divan_result1(\(body), '.t'))") == "1")
        #expect(try scratch.value("divan_boolean1(NULL)") == "MISSING")
    }

    @Test("The least and greatest integers are compared as in SQLite")
    func extremes() throws {
        let (least, greatest) = ("(-9223372036854775807 - 1)", "9223372036854775807")
        for whole in [least, greatest] {
            for real in [
                "-9223372036854775808.0", "9223372036854775808.0", "9223372036854774784.0",
            ] {
                let isEqual = try scratch.value("\(whole) = \(real)")
                for (item, other) in [(real, whole), (whole, real)] {
                    let isItem = "divan_is_item1(\(item), divan_array1(\(other)))"
                    #expect(try scratch.value(isItem) == isEqual)
                }
            }
        }
    }

    @Test("An invalid property path is rejected", arguments: ["a", ".a[", ".a[x]", #".\zz"#])
    func malformed(path: String) {
        #expect(throws: Scratch.Failure.self) {
            try scratch.value("divan_value1('{\"a\":1}', '\(path)')")
        }
    }

    @Test("Values sort MISSING, numbers, text, null, containers, with and without an index")
    func order() throws {
        try scratch.execute(
            #"""
            CREATE TABLE docs (body TEXT);
            INSERT INTO docs VALUES ('{"v":[1]}'), ('{"v":null}'), ('{"v":"a"}'), ('{"v":true}'),
                ('{}'), ('{"v":0.5}'), ('{"v":{}}'), ('{"v":2}');
            """#
        )
        let expected = ["MISSING", "0.5", "true", "2", "'a'", "null", "[1]", "{}"]
        for index in ["", "CREATE INDEX byV ON docs (divan_value1(body, '.v'))"] {
            try scratch.execute(index)
            let rows = try scratch.rows(
                "SELECT divan_result1(body, '.v') FROM docs ORDER BY divan_value1(body, '.v')"
            )
            #expect(rows.map { $0[0] } == expected)
        }
    }

    @Test("A container returns a row for each item")
    func items() throws {
        func items(_ expression: String) throws -> [String] {
            try scratch.rows("SELECT result FROM divan_items1(\(expression))").map { $0[0] }
        }
        let array = #"divan_body_result1('[1, "two", null, true]')"#
        #expect(try items(array) == ["1", "'two'", "null", "true"])
        #expect(try items(#"divan_body_result1('{"a": 1, "b": [2]}')"#) == ["1", "[2]"])
        #expect(try items("divan_body_result1('[]')") == [])
        #expect(try items("5") == ["5"])
        #expect(try items("NULL") == [])
    }
}
