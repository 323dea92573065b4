import CouchbaseLiteSwift
import DivanExchange
import DivanJSON
import DivanTestKit
import Testing

/// Documents below a path in a JSON text.
@Suite struct NestedImportTests {
    private let shop: SampleDatabase

    init() throws { shop = try SampleDatabase() }

    private func problem(_ text: String, at pointer: String) throws -> ExchangeError? {
        #expect(throws: ExchangeError.self) {
            try shop.importing(text, as: .nested(pointer))
        }
    }

    @Test func `a text without the path is refused with the keys that it has`() throws {
        let error = try problem("{\"data\":{\"rows\":[]},\"n\":1}", at: "/data/items")
        #expect(error?.code == .noPath)
        #expect(error?.problem == "the JSON text has no value at '/data/items'")
        #expect(error?.remedy == "the keys there are 'rows'")
        #expect(try problem("[{\"items\":[]}]", at: "/items")?.code == .noPath)
    }

    @Test(arguments: [
        ("{\"items\":5}", "neither an array nor an object"),
        ("{\"items\":[{} {}]}", "expected a comma or the end of the array"),
        ("{\"items\":[{},]}", "expected a document"), ("{\"items\":[{}}", "expected a comma"),
        ("{\"items\":[{}]", "not closed"), ("{\"items\" [{}]}", "expected a colon"),
        ("{items:[{}]}", "expected a key in quotes"), ("{\"a\":,\"items\":[]}", "expected a value"),
        ("{\"a\":1 \"items\":[]}", "expected a comma or the end of the object"),
        ("{\"items\":{\"\\ud800\":{}}}", "a key is not a valid string"),
    ])
    func `a malformed text is refused with line and byte`(_ text: String, _ part: String) throws {
        let error = try problem("\n" + text, at: "/items")
        #expect(error?.code == .invalid)
        #expect(error?.place == "input:2")
        #expect(error?.problem.hasPrefix("byte ") == true)
        #expect(error?.problem.contains(part) == true, "\(error?.problem ?? "")")
    }

    @Test func `an error in a document names its line and column in the file`() throws {
        let error = try problem(
            "{\"items\":[\n{\"_id\":\"a\"},\n  {\"_id\":\"b\",}]}",
            at: "/items"
        )
        #expect(error?.place == "input:3, column 14")
        #expect(try shop.items.count == 1)
    }

    @Test func `null has no documents, and a member that is not an object is refused`() throws {
        #expect(try shop.importing("{\"items\":null}", as: .nested("/items")).savedCount == 0)
        let error = try problem("{\"a\":{\"n\":1},\"b\":2}", at: "")
        #expect(error?.problem == "not a JSON object")
        #expect(try shop.items.count == 1)
    }

    /// The text is longer than a document can be.
    @Test(.enabled(if: TestLength.isLong))
    func `a wrapper of more than 64 MiB is imported`() throws {
        let count = 70
        let filler = String(repeating: "x", count: 1 << 20)
        var number = 0
        let source = ByteSource(name: "input") {
            defer { number += 1 }
            switch number {
            case 0: return Array("{\"skipped\":[\"\(filler)\"],\"items\":[{\"_id\":\"a\"}".utf8)
            case 1...count: return Array(",{\"_id\":\"\(number)\",\"n\":\"\(filler)\"}".utf8)
            case count + 1: return Array("]}".utf8)
            default: return []
            }
        }
        let imported = try shop.database.importDocuments(
            from: source,
            as: .nested("/items"),
            rules: .init(isDry: true)
        )
        #expect(imported.savedCount == count + 1)
    }

    @Test func `GeoJSON features without an ID get random ones, and other objects are refused`()
        throws
    {
        let features = """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"n":1}}]}
            """
        #expect(try shop.importing(features, as: .geoJSON).ids.randomCount == 1)
        for other in ["{\"name\":\"x\"}", "{\"type\":5}"] {
            let error = #expect(throws: ExchangeError.self) {
                try shop.importing(other, as: .geoJSON)
            }
            #expect(error?.problem == "not a GeoJSON object: its type is not one of GeoJSON")
        }
    }

    @Test(arguments: [
        #"{"$oid":"123"}"#, #"{"$numberInt":"2147483648"}"#, #"{"$numberLong":"1.5"}"#,
        #"{"$numberDouble":"0x1p3"}"#, #"{"$numberDouble":"1E+999"}"#, #"{"$uuid":"x"}"#,
        #"{"$numberDecimal":"1,5"}"#, #"{"$date":{"$numberLong":"x"}}"#,
    ])
    func `an invalid value of Extended JSON is refused`(_ value: String) throws {
        let error = #expect(throws: ExchangeError.self) {
            try shop.importing("{\"_id\":\"a\"}\n{\"_id\":\"b\",\"v\":\(value)}", as: .mongo())
        }
        #expect(error?.place == "input:2")
        #expect(error?.problem.hasPrefix("invalid $") == true)
    }

    @Test func `a relaxed date is stored in UTC with milliseconds, and other texts unchanged`()
        throws
    {
        let dates = [
            ("2019-08-11T17:54:14Z", "2019-08-11T17:54:14.000Z"),
            ("2019-08-11T17:54:14.5Z", "2019-08-11T17:54:14.500Z"),
            ("2019-08-11T17:54:14.692+02:00", "2019-08-11T15:54:14.692Z"),
            ("0000-01-01T00:00:00+02:00", "0000-01-01T00:00:00+02:00"),
            ("2019-02-30T00:00:00Z", "2019-02-30T00:00:00Z"),
            ("2019-08-11T17:54:14", "2019-08-11T17:54:14"), ("2019-08-11", "2019-08-11"),
            ("Z", "Z"),
        ]
        for (date, expected) in dates {
            try shop.importing("{\"_id\":\"a\",\"v\":{\"$date\":\"\(date)\"}}", as: .mongo())
            #expect(try shop.items.document(id: "a")?.string(forKey: "v") == expected)
        }
    }

    @Test(arguments: [DocumentFormat.mongo(), .geoJSON])
    func `names with a meaning in Divan's lines have none in other formats`(
        _ format: DocumentFormat
    ) throws {
        let text = "{\"_id\":\"a\",\"type\":\"Point\",\"_sequence\":1,\"_collection\":\"food\"}"
        let rules = DocumentImport.Rules(readsCollections: true, since: 5)
        try shop.importing(text, as: format, rules: rules)
        let document = try #require(try shop.items.document(id: "a"))
        #expect(document.int(forKey: "_sequence") == 1)
        #expect(document.string(forKey: "_collection") == "food")
        let error = #expect(throws: ExchangeError.self) {
            let text = "{\"_id\":\"a\",\"type\":\"Point\",\"_deleted\":true}"
            try shop.importing(text, as: format)
        }
        #expect(error?.problem == "the key '_deleted' is reserved")
        #expect(try shop.items.count == 1)
    }

    @Test func `a decimal becomes a number only if the number has all its digits`() throws {
        let decimals = [
            ("1.50", "1.5"), ("-0.001", "-0.001"), ("1E+3", "1000"), ("0", "0"),
            ("123456789012345678901234567890.1234", "123456789012345678901234567890.1234"),
            ("0.12345678901234567", "\"0.12345678901234567\""), ("1E-6176", nil),
            ("1E+6144", "\"1E+6144\""), ("NaN", "\"NaN\""), ("-Infinity", "\"-Infinity\""),
        ]
        for (decimal, expected) in decimals {
            let other = try SampleDatabase()
            try other.importing(
                "{\"_id\":\"a\",\"v\":{\"$numberDecimal\":\"\(decimal)\"}}",
                as: .mongo()
            )
            let line = try SampleDatabase.lines(of: other.database)
            let value = line.dropFirst("{\"_id\":\"a\",\"v\":".count).dropLast("}\n".count)
            if let expected, expected.hasPrefix("\"") {
                #expect(String(value) == expected)
            } else {
                // Its spelling is that of the writer; its digits are those of the decimal.
                let number = expected ?? decimal
                #expect(value == number || Double(value) == Double(number), "\(decimal): \(value)")
            }
        }
    }

    @Test func `an ID in Extended JSON in a JSON file is reported as such`() throws {
        let error = #expect(throws: ExchangeError.self) {
            try shop.importing("{\"_id\":{\"$oid\":\"5f6a7b8c9d0e1f2a3b4c5d6e\"}}")
        }
        #expect(error?.code == .extendedID)
    }

    @Test func `a nested input with a path is Extended JSON, too`() throws {
        let path = try #require(JSONPointer("/docs"))
        try shop.importing("{\"docs\":[{\"_id\":{\"$numberInt\":\"5\"}}]}", as: .mongo(path))
        #expect(try SampleDatabase.lines(of: shop.database) == "{\"_id\":\"5\"}\n")
    }
}
