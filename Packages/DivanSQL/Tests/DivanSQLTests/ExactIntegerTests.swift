import DivanTestKit
import Testing

/// An integer becomes a double only if the double is the same number, or a real number is what was asked for.
@Suite struct ExactIntegerTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: [
        ("divan_abs2(-9007199254740993)", "9007199254740993"), ("divan_abs2(-5)", "5.0"),
        ("divan_abs2(-9223372036854775807)", "9223372036854775807"),
        ("divan_abs2(-9223372036854775807 - 1)", "9.223372036854776e+18"),
        ("divan_ceil2(9007199254740993)", "9007199254740993"),
        ("divan_floor2(-9223372036854775807)", "-9223372036854775807"),
        ("divan_round2(9223372036854775807)", "9223372036854775807"),
        ("divan_round2(9223372036854775807, 2)", "9223372036854775807"),
        ("divan_round2(9007199254740993, -1)", "9007199254740990.0"),
        ("divan_round2(-9007199254740995, -1)", "-9.007199254741e+15"),
        ("divan_round2(9223372036854775, -1)", "9.22337203685478e+15"),
        ("divan_round_even2(9007199254740965, -1)", "9007199254740960.0"),
        ("divan_round_even2(90071992547409935, -1)", "90071992547409940"),
        ("divan_round2(9223372036854775807, -1)", "9.223372036854776e+18"),
        ("divan_round2(9223372036854775807, -19)", "1e+19"), ("divan_round2(15, -1)", "20.0"),
        ("divan_trunc2(9223372036854775807, -1)", "9223372036854775800"),
        ("divan_trunc2(9007199254740993, 3)", "9007199254740993"),
        ("divan_power2(3, 39)", "4052555153018976267"),
        ("divan_power2(3, 40)", "1.2157665459056929e+19"),
        ("divan_power2(9007199254740993, 1)", "9007199254740993"),
        ("divan_power2(2, 10)", "1024.0"),
        ("divan_power2(-1, 9223372036854775807)", "-1.0"), ("divan_power2(2, -1)", "0.5"),
        ("divan_power2(0, 0)", "1.0"),
        ("divan_div2(9007199254740993, 1)", "9007199254740993"),
        ("divan_div2(9007199254740993, 2)", "4503599627370496.0"),
        ("divan_div2(9223372036854775807, 0)", "null"), ("divan_div2(1, 3)", "0.3333333333333333"),
        ("divan_div2(-9223372036854775807 - 1, -1)", "9.223372036854776e+18"),
        ("divan_idiv2(9223372036854775807, 9223372036854775808.0)", "0"),
        ("divan_idiv2(-9223372036854775807 - 1, -1)", "9.223372036854776e+18"),
        ("divan_idiv2(1e300, 1)", "1e+300"), ("divan_idiv2(1e300, 0.5)", "null"),
        ("divan_idiv2(1e19, 1e10)", "1000000000"),
        ("divan_idiv2(9007199254740993, 2)", "4503599627370496"),
        ("divan_idiv2(-3.9, 2.1)", "-1"), ("divan_sign1(-9223372036854775807)", "-1"),
        ("divan_to_number2('9007199254740993x')", "9007199254740993"),
        ("divan_to_number2('18446744073709551615')", "1.8446744073709552e+19"),
        ("divan_to_number2('12ab')", "12.0"),
    ])
    func `numeric functions keep large integers exact`(call: String, expected: String) throws {
        #expect(try scratch.value(call) == expected)
    }

    @Test(arguments: [
        ("sum", "[9007199254740993,1]", "9.007199254740994e+15"),
        ("sum", "[9007199254740992,1]", "9007199254740993"), ("sum", "[1,2]", "3.0"),
        ("sum", "[9223372036854775807,1]", "9.223372036854776e+18"), ("sum", "[]", "0.0"),
        ("avg", "[9007199254740993,9007199254740993]", "9007199254740993"), ("avg", "[1,2]", "1.5"),
        ("max", "[9007199254740992.0,9007199254740993]", "9007199254740993"),
        ("max", "[9223372036854775806,9223372036854775807]", "9223372036854775807"),
        ("min", "[9007199254740993,9007199254740992.0]", "9007199254740992.0"),
        ("min", "[9223372036854775807,9223372036854775806]", "9223372036854775806"),
        ("max", "[-3,-2.5]", "-2.5"),
    ])
    func `array functions keep large integers exact`(
        name: String,
        array: String,
        expected: String
    ) throws {
        let call = "divan_array_\(name)2(CAST('\(array)' AS BLOB))"
        #expect(try scratch.value(call) == expected)
    }

    @Test(arguments: [
        ("avg", "9007199254740993", "9007199254740993"),
        ("sum", "9007199254740993", "18014398509481986"),
        ("sum", "9223372036854775807", "1.8446744073709552e+19"),
    ])
    func `aggregates keep large integers exact`(
        name: String,
        number: String,
        expected: String
    ) throws {
        let rows = try scratch.rows(
            "SELECT divan_\(name)1(x) FROM (SELECT \(number) AS x UNION ALL SELECT \(number))"
        )
        #expect(rows == [[expected]])
    }

    @Test func `the distance of large integers is exact`() throws {
        let arrays = "CAST('[9007199254740993]' AS BLOB), CAST('[9007199254740992]' AS BLOB)"
        #expect(try scratch.value("divan_euclidean_distance2(\(arrays))") == "1.0")
    }

    @Test(arguments: [
        ("1e300", "7", "1.0"), ("18446744073709551615", "10", "6.0"), ("-7", "2", "-1"),
        ("9223372036854775807", "1e19", "9.223372036854776e+18"), ("-4.0", "2", "0.0"),
        ("5.5", "2", "1.0"),
        ("1", "0.5", "MISSING"), ("-9223372036854775808", "-1", "0"),
    ])
    func `a remainder is not limited to 64-bit integers`(
        left: String,
        right: String,
        expected: String
    ) throws {
        let terms = "divan_terms1('+%', \(left) * 1, \(right) * 1)"
        let found = try scratch.value("divan_calculate2(\(terms))")
        #expect(found == expected)
    }

    /// Integers are ordered among doubles exactly, and equal only those with the same value.
    @Test(arguments: UInt64(0)..<4)
    func `integers and doubles are grouped and merged by value`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let near = ["9007199254740992", "9223372036854775807", "0", "-9007199254740993", "1"]
        let numbers = (0..<200).map { _ in
            let base = Int64(near[Int.random(in: near.indices, using: &generator)]) ?? 0
            let (number, overflows) = base.addingReportingOverflow(
                Int64.random(in: -3...3, using: &generator)
            )
            let integer = overflows ? base : number
            return Bool.random(using: &generator) ? "\(integer)" : "\(integer).0"
        }
        // Doubles as the nearest integer, if there is one; otherwise by their digits.
        let values = Set(
            numbers.map { text in
                Int64(text).map { "\($0)" }
                    ?? Double(text).map { Int64(exactly: $0).map { "\($0)" } ?? "\($0)" } ?? text
            }
        )
        let rows = numbers.map { "(\($0))" }.joined(separator: ", ")
        let table = "(SELECT column1 AS x FROM (VALUES \(rows)))"
        #expect(try scratch.rows("SELECT DISTINCT x FROM \(table)").count == values.count)
        #expect(try scratch.rows("SELECT count(*) FROM \(table) GROUP BY x").count == values.count)
        #expect(try scratch.value("count(DISTINCT x) FROM \(table)") == "\(values.count)")
        let items = "CAST('[\(numbers.joined(separator: ","))]' AS BLOB)"
        for text in numbers.prefix(40) {
            #expect(try scratch.value("divan_is_item1(\(text), \(items))") == "1")
        }
        #expect(try scratch.value("divan_is_item1(9007199254740999.0, \(items))") == "0")
    }
}
