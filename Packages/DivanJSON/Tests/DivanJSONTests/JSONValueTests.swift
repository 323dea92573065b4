import DivanJSON
import Testing

@Suite struct JSONValueTests {
    @Test func `compares values by bytes and by kind`() {
        #expect(JSON.string("é") != JSON.string("e\u{301}"))
        #expect(JSON.object(["é": 1]) != JSON.object(["e\u{301}": 1]))
        #expect(JSON.int(1) != JSON.double(1))
        #expect(JSON.double(0) != JSON.double(-0.0))
        #expect(["a": [1, .null], "b": 2] as JSON == ["b": 2, "a": [1, .null]])
        #expect(["a": [1, .null]] as JSON != ["a": [1, .null, 2]])
        #expect(["a": [1]] as JSON != ["b": [1]])
    }

    @Test func `compares deeply nested values without overflowing the stack`() {
        var (left, right) = (JSON.null, JSON.null)
        for _ in 0..<5_000 { (left, right) = (.array([left]), .array([right])) }
        #expect(left == right)
    }

    @Test func `keeps members sorted by the bytes of their keys`() {
        var object: JSONObject = ["é": 1, "z": 2, "Z": 3, "10": 4, "1": 5, "": 6]
        #expect(object.keys == ["", "1", "10", "Z", "z", "é"])
        object["2"] = .null
        object["z"] = 7
        object["Z"] = nil
        #expect(object.keys == ["", "1", "10", "2", "z", "é"])
        #expect(object["z"] == 7)
        #expect(object["2"] == .null)
        #expect(object["Z"] == nil)
        #expect(object.contains("2"))
        object.removeAll { $0.key.isEmpty }
        #expect(object.count == 5)
    }

    @Test func `keeps the last of equal keys`() {
        #expect(JSONObject([(key: "b", value: 1), ("a", 2), ("b", 3)]) == ["a": 2, "b": 3])
    }

    @Test func `returns values by kind`() throws {
        let value = try JSON(parsing: #"{"a":[true,"x",1,1.5,null,18446744073709551615]}"#)
        let items = try #require(value["a"]?.array)
        #expect(items[0].bool == true)
        #expect(items[1].string == "x")
        #expect(items[2].int == 1)
        #expect(items[2].double == 1)
        #expect(items[3].int == nil)
        #expect(items[3].double == 1.5)
        #expect(items[4].isNull)
        #expect(items[5] == JSON(UInt64.max))
        #expect(value["b"] == nil)
        #expect(value.kind == .object)
    }

    @Test func `resolves escapes`() throws {
        let text = #""\"\\\/\b\f\n\r\t\u0000\u00e9\u6771\ud83d\ude00é""#
        let expected = "\"\\/\u{8}\u{C}\n\r\t\u{0}é東😀é"
        #expect(try JSON(parsing: text) == .string(expected))
    }
}

@Suite struct JSONErrorTests {
    @Test func `an error states the position, the problem and a remedy`() {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: "{\n  \"a\": 01}") }
        #expect(error?.line == 2)
        #expect(error?.column == 8)
        #expect(
            error?.description
                == "JSON at byte 9 (line 2, column 8): malformed number; write it like -0.5 or 1e9"
        )
        #expect(error?.explanation == "malformed number; write it like -0.5 or 1e9")
    }

    @Test(arguments: [
        ("{'a':1}", "unexpected single quote; put keys and strings in double quotes"),
        (#"{"a":1 "b":2}"#, "unexpected double quote; correct the JSON syntax"),
        ("1 '", "unexpected single quote after the value; write one value only"),
        ("{a:1}", "unexpected 'a'; correct the JSON syntax"),
    ])
    func `a quotation mark in an error is written as words`(_ text: String, _ explanation: String) {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
        #expect(error?.explanation == explanation)
    }

    @Test(arguments: [("", true), (" \n", true), ("[", false), ("\"", false)])
    func `distinguishes empty text from text that ends too early`(_ text: String, _ isEmpty: Bool) {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
        #expect(error?.explanation.hasPrefix("the text is empty") == isEmpty)
        #expect(error?.explanation.hasPrefix("unexpected end inside a value") == !isEmpty)
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd, 0), ("[1", .unexpectedEnd, 2), ("[1,]", .unexpectedByte(0x5D), 3),
            ("1 2", .trailingByte(0x32), 2), ("\"a\u{1}\"", .controlCharacter(1), 2),
            (#""\x""#, .invalidEscape, 1), ("{1:2}", .unexpectedByte(0x31), 1),
            ("{\"a\" 1}", .unexpectedByte(0x31), 5), ("nul", .unexpectedEnd, 3),
            ("\u{FEFF}1", .unexpectedByte(0xEF), 0), (#""\u12"#, .unexpectedEnd, 1),
        ] as [(String, JSONError.Reason, Int)]
    )
    func `an error points to the problem`(
        text: String,
        reason expected: JSONError.Reason,
        offset: Int
    ) {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
        #expect(error?.reason == expected)
        #expect(error?.offset == offset)
        #expect(reason(of: text) == expected)
    }
}
