import DivanJSON
import DivanQuery
import Testing

/// Conversion between values of the language and JSON.
@Suite struct QueryValueTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-9223372036854775808", "1.5", #""""#, #""é""#, "[]",
        #"[1,{"a":null}]"#, #"{"a":[1.5,"x"],"b":{}}"#,
    ])
    func `a JSON value round-trips`(_ text: String) throws {
        let json = try JSON(parsing: text)
        #expect(QueryValue(json).json == json)
        #expect(QueryValue(json).writableJSON == json)
    }

    @Test func `numbers that are not 64-bit integers become doubles`() throws {
        #expect(QueryValue(try JSON(parsing: "18446744073709551615")) == .double(0x1p64))
        let long = "123456789012345678901234567890"
        let double = try #require(Double(long))
        #expect(QueryValue(try JSON(parsing: long)) == .double(double))
    }

    @Test func `a parameter that is null is MISSING, but null inside a list is not`() throws {
        #expect(QueryValue.parameter(.null) == .missing)
        #expect(QueryValue.parameter([.null]) == .container(Array("[null]".utf8)))
        #expect(QueryValue(JSON.null) == .null)
        #expect(QueryValue.missing.json == nil)
    }

    @Test func `values that JSON cannot represent are written as null`() {
        for number in [Double.infinity, -.infinity, .nan] {
            #expect(QueryValue.double(number).writableJSON == .null)
        }
        #expect(QueryValue.double(.infinity).json?.double == .infinity)
        #expect(QueryValue.binary([1, 2]).json == "(2 bytes)")
        #expect(QueryValue.container(Array("[1".utf8)).json == .null)
    }

    /// A query puts containers around a document, which may have the maximal depth.
    @Test func `containers that a query adds around the deepest document can be read`() async {
        let depth = JSONLimits.default.depth + 200
        let text =
            Array(repeating: UInt8(ascii: "["), count: depth)
            + Array(repeating: UInt8(ascii: "]"), count: depth)
        let isSame = await onSmallStack {
            QueryValue.container(text).json.map { QueryValue($0) } == .container(text)
        }
        #expect(isSame)
    }
}
