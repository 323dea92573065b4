import DivanJSON
import DivanTestKit
import Testing

/// The canonical text, compared with what Fleece writes.
@Suite struct CanonicalTests {
    @Test(arguments: try Vectors.load().canonicalJSON.cases)
    func `writes the same text as Fleece`(_ vector: Vectors.Case) throws {
        let bytes = try JSON(parsing: vector.input).canonicalBytes()
        #expect(String(decoding: bytes, as: UTF8.self) == vector.canonical)
    }

    @Test(arguments: try Vectors.load().canonicalJSON.cases)
    func `recognizes canonical text`(_ vector: Vectors.Case) throws {
        let canonical = try JSONScanner.validate(Array(vector.canonical.utf8).span)
        let input = try JSONScanner.validate(Array(vector.input.utf8).span)
        #expect(canonical.isCanonical)
        #expect(input.isCanonical == (vector.input == vector.canonical))
    }

    /// Every written text parses to the same value, is canonical, and is written again unchanged.
    @Test(arguments: UInt64(0)..<300)
    func `a written value parses to the same value`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = JSON.arbitrary(using: &generator)
        let bytes = try value.canonicalBytes()
        let again = try JSON(parsing: bytes)
        #expect(again == value)
        #expect(try again.canonicalBytes() == bytes)
        #expect(try JSONScanner.validate(bytes.span).isCanonical)
    }

    /// Texts are examined eight bytes at a time: every length, with one awkward byte at every position.
    @Test func `a byte that needs an escape is found at every position`() throws {
        for count in 0...40 {
            let plain = String(repeating: "x", count: count)
            let (key, text) = ("k" + plain, "v" + plain)
            #expect(
                try JSON.object([key: .string(text)]).canonicalBytes()
                    == Array(#"{"\#(key)":"\#(text)"}"#.utf8)
            )
            for place in 0..<count {
                for special in ["\"", "\\", "\n", "\u{1}", "\u{7F}", "é"] {
                    let text = plain.prefix(place) + special + plain.dropFirst(place + 1)
                    let value = JSON.array([.string(String(text)), [String(text): 1]])
                    let bytes = try value.canonicalBytes()
                    #expect(try JSON(parsing: bytes) == value)
                    #expect(try JSONScanner.validate(bytes.span).isCanonical)
                }
            }
        }
    }

    @Test(arguments: [Int64.min, -10, -9, -1, 0, 1, 9, 10, 11, 99, 100, .max])
    func `an integer is written with all its digits`(_ value: Int64) throws {
        #expect(try JSON.int(value).canonicalBytes() == Array(value.description.utf8))
    }

    @Test func `a writer records whether it wrote an @type key`() {
        for (key, isType) in [("@type", true), ("@typ", false), ("@tale", false), ("type", false)] {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key(key)
            writer.null()
            writer.endObject()
            #expect(writer.hasTypeKey == isType)
        }
    }

    @Test(arguments: [
        (1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e16, "1e+16"), (1e-7, "1e-07"),
        (0.0001, "0.0001"), (9_007_199_254_740_992, "9007199254740992.0"),
        (9_007_199_254_740_994, "9.007199254740994e+15"), (-2.5e-10, "-2.5e-10"),
        (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.leastNonzeroMagnitude, "5e-324"),
    ])
    func `writes a double with the fewest digits that round-trip`(
        value: Double,
        text: String
    ) throws {
        #expect(try String(decoding: JSON.double(value).canonicalBytes(), as: UTF8.self) == text)
    }

    @Test(arguments: [
        Float(0.1), -9.99, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 16_777_216, 1.0 / 3,
    ])
    func `writes a single-precision number so that it round-trips`(value: Float) throws {
        let bytes = try JSON(value).canonicalBytes()
        let read = try JSON(parsing: bytes)
        #expect(read.double.flatMap { Float(exactly: $0) } == value)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `rejects numbers that JSON cannot represent`(_ value: Double) {
        var output = Array("before".utf8)
        let error = #expect(throws: JSONError.self) {
            try JSON.array([1, .double(value)]).appendCanonical(to: &output)
        }
        #expect(error?.reason == .notFinite)
        #expect(output == Array("before".utf8))
    }

    @Test func `refuses to write values nested deeper than the limit`() throws {
        var value = JSON.null
        for _ in 0..<128 { value = .array([value]) }
        #expect(try value.canonicalBytes().count == 260)
        let error = #expect(throws: JSONError.self) {
            try JSON.array([value]).canonicalBytes()
        }
        #expect(error?.reason == .tooDeep(limit: 128))
    }

    @Test(arguments: [
        #"{"b":1,"a":2}"#, #"{ "a":1}"#, #"{"a":1} "#, #"["\/"]"#, #"["\b"]"#, #"["\u000A"]"#,
        #"["\u000a"]"#,
        #"["\u00e9"]"#, #"["\u001F"]"#, #"["\u0061"]"#, "[\"\u{7F}\"]", "[1.50]", "[1e5]", "[-0]",
        "[1E+16]", "[1.00000000000000000000]", #"{"aaaaaaaab":1,"aaaaaaaaa":1}"#,
    ])
    func `recognizes every kind of non-canonical text`(_ text: String) throws {
        #expect(try !JSONScanner.validate(Array(text.utf8).span).isCanonical)
        let canonical = try JSON(parsing: text).canonicalBytes()
        #expect(try JSONScanner.validate(canonical.span).isCanonical)
    }
}

/// The part of `revids.json` that concerns JSON.
struct Vectors: Decodable {
    struct Group: Decodable { let cases: [Case] }
    struct Case: Decodable, Sendable {
        let input: String
        let canonical: String
    }
    let canonicalJSON: Group

    static func load() throws -> Vectors { try Fixture("revids.json").decoded(as: Vectors.self) }
}
