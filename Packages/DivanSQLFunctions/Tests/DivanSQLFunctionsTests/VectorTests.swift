import DivanTestKit
import Testing

/// `divan_vector`, which reads the vectors of an index.
@Suite struct VectorTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func vector(_ value: String, _ dimensions: Int) throws -> String {
        try scratch.value("hex(divan_vector1(\(value), \(dimensions)))")
    }

    private func array(_ json: String) -> String { "CAST('\(json)' AS BLOB)" }

    @Test func `arrays, base64 text and binary give the same floats`() throws {
        let floats = "'0000803F000000C00000003F'"
        #expect(try vector(array("[1, -2, 0.5]"), 3) == floats)
        #expect(try vector(array(" [ 1.0 ,-2e0, 5e-1 ] "), 3) == floats)
        #expect(try vector("'AACAPwAAAMAAAAA/'", 3) == floats)
        #expect(try vector("x'030000803F000000C00000003F'", 3) == floats)
    }

    @Test func `padding of base64 is optional`() throws {
        let floats = "'0000803F'"
        for text in ["AACAPw==", "AACAPw=", "AACAPw"] {
            #expect(try vector("'\(text)'", 1) == floats)
        }
    }

    @Test(arguments: [
        "NULL", "x''", "x'02'", "7", "1.5", "''", "'AACAPw'", "'AACAPwAAAMAAAAA/AAAA'",
        "'AACAPwAAAMAAAAA*'", "'AACA PwAAAMAAAAA/'", "'=ACAPwAAAMAAAAA/'", "x'030000803F'",
        "x'030000803F000000C0000080FF'", "'AACAPwAAAMAAAIB/'",
    ])
    func `anything else is missing`(value: String) throws {
        #expect(try scratch.value("divan_vector1(\(value), 3)") == "MISSING")
    }

    @Test(arguments: [
        "[1, 2]", "[1, 2, 3, 4]", "[1, 2, \"3\"]", "[1, 2, null]", "[1, 2, true]", "[1, 2, [3]]",
        "[1, 2, 1e39]", "[]", "[1, 2", "[1, 2,", "{\"a\": 1}",
    ])
    func `an array that is no vector of the length is missing`(json: String) throws {
        #expect(try scratch.value("divan_vector1(\(array(json)), 3)") == "MISSING")
    }

    @Test func `impossible dimensions give nothing`() throws {
        for dimensions in ["0", "-1", "4097", "9223372036854775807", "NULL", "'x'"] {
            let call = "divan_vector1(\(array("[1]")), \(dimensions))"
            #expect(try scratch.value(call) == "MISSING")
        }
        let long = array("[" + Array(repeating: "1", count: 4096).joined(separator: ",") + "]")
        #expect(try scratch.value("length(divan_vector1(\(long), 4096))") == "16384")
    }
}
