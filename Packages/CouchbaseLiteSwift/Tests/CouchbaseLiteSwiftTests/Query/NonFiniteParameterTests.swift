import CouchbaseLiteSwift
import Foundation
import Testing

/// Parameter values that JSON cannot represent.
@Suite struct NonFiniteParameterTests {
    let shop: Chairs

    init() throws { shop = try Chairs() }

    private func value(_ expression: String, _ parameter: Double) throws -> String {
        let query = try shop.database.createQuery(
            "SELECT \(expression) AS x FROM shop.chairs LIMIT 1"
        )
        query.parameters = Parameters().setDouble(parameter, forName: "p")
        return try #require(try query.execute().next()).toJSON()
    }

    @Test func `a NaN parameter counts as MISSING`() throws {
        let missing = "{}"
        for (expression, expected) in [
            ("$p", missing), ("$p IS MISSING", #"{"x":true}"#), ("seats < $p", missing),
            ("$p = $p", missing), ("[1, $p]", #"{"x":[1]}"#), ("{'a': $p}", #"{"x":{}}"#),
            ("TOSTRING($p)", missing), ("$p IN [1, $p]", missing),
        ] {
            #expect(try value(expression, .nan) == expected, "\(expression)")
        }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `running a query with NaN or infinity in an array parameter fails`(
        number: Double
    ) throws {
        let query = try shop.database.createQuery("SELECT $p AS x FROM shop.chairs LIMIT 1")
        let object = MutableDictionaryObject().setDouble(number, forKey: "a")
        for value: Any in [[1, number], ["a": [number]], object] {
            query.parameters = Parameters().setValue(value, forName: "p")
            expect(CBLError.invalidQueryParam) { _ = try query.execute() }
            expect(CBLError.invalidQueryParam) {
                _ = try CouchbaseLiteSwift.Collection.filter(
                    where: "x IN $p",
                    parameters: query.parameters
                )
            }
        }
        query.parameters = Parameters().setValue([1, 2], forName: "p")
        #expect(try #require(try query.execute().next()).toJSON() == #"{"x":[1,2]}"#)
    }

    @Test(arguments: [Double.infinity, -.infinity])
    func `an infinite number can be compared, and is null in JSON`(infinity: Double) throws {
        for (expression, expected) in [
            ("$p", "null"), ("seats < $p", "\(infinity > 0)"), ("$p = $p", "true"),
            ("$p IS MISSING", "false"), ("[1, $p]", "[1,null]"), ("MILLIS_TO_UTC($p)", "null"),
            ("ROUND($p, 2)", "null"),
        ] {
            #expect(try value(expression, infinity) == #"{"x":\#(expected)}"#, "\(expression)")
        }
    }
}
