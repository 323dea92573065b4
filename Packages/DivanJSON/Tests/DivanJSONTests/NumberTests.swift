import DivanJSON
import DivanTestKit
import Testing

@Suite struct NumberTests {
    @Test func `a number is an integer if it fits without rounding`() {
        #expect(JSON.int(-1).integer(Int8.self) == -1)
        #expect(JSON.int(-1).integer(UInt8.self) == nil)
        #expect(JSON.uint(.max).integer(UInt64.self) == .max)
        #expect(JSON.uint(.max).integer(Int64.self) == nil)
        #expect(JSON.double(2e2).integer(Int.self) == 200)
        #expect(JSON.double(0.5).integer(Int.self) == nil)
        #expect(JSON.string("1").integer(Int.self) == nil)
    }

    @Test(
        arguments: [
            ("0", .int(0)), ("-1", .int(-1)), ("9223372036854775807", .int(.max)),
            ("-9223372036854775808", .int(.min)), ("9223372036854775808", .uint(1 << 63)),
            ("18446744073709551615", .uint(.max)),
            ("9007199254740993", .int(9_007_199_254_740_993)),
            ("-0", .double(-0.0)), ("1.0", .double(1)), ("1e2", .double(100)), ("0e0", .double(0)),
            ("1E-2", .double(0.01)), ("0.000001", .double(0.000001)), ("-0.0e-5", .double(-0.0)),
            ("118.20183585107631", .double(118.20183585107631)),
            ("5e-324", .double(.leastNonzeroMagnitude)),
            ("0e99999999999999999999", .double(0)), ("1.50000000000000000000", .double(1.5)),
            ("0.00000000000000000000012345", .double(1.2345e-22)),
        ] as [(String, JSON)]
    )
    func `parses a number as an integer or a double`(text: String, value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
    }

    /// A double would lose digits of these, or all of them.
    @Test(arguments: [
        "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890",
        "100000000000000000000000000000", "-0.1234567890123456789", "1.234567890123456789e-5",
        "3.14159265358979323846264338327950288", "1e-999", "-7E-400",
    ])
    func `keeps digits that a double would lose`(_ text: String) throws {
        let value = try JSON(parsing: text)
        #expect(value.double == Double(text))
        #expect(try value.canonicalBytes() == Array(text.utf8))
        #expect(try JSONScanner.validate(Array(text.utf8).span).isCanonical)
        #expect(value.kind == .number && value.int == nil)
        #expect(try JSON(parsing: text + " ") == value)
        #expect(try JSON(parsing: "[\(text)]") != .array([.double(value.double ?? 0)]))
    }

    @Test func `a 128-bit integer keeps its digits`() throws {
        for value in [Int128.max, .min, Int128(UInt64.max) + 1, Int128(Int64.min) - 1] {
            let json = JSON(value)
            #expect(try String(decoding: json.canonicalBytes(), as: UTF8.self) == "\(value)")
            #expect(try JSON(parsing: "\(value)") == json)
        }
        #expect(JSON(Int128(-1)) == .int(-1) && JSON(UInt128(UInt64.max)) == .uint(.max))
    }

    @Test func `reads a long number as a double but not as an integer`() throws {
        var reader = JSONReader(Array("[123456789012345678901,123456789012345678901]".utf8))
        try reader.beginArray()
        _ = try reader.nextElement()
        #expect(try reader.readDouble() == Double("123456789012345678901"))
        _ = try reader.nextElement()
        let error = #expect(throws: JSONError.self) { try reader.readInteger(as: Int.self) }
        #expect(error?.reason == .integerOutOfRange)
    }

    /// The fast path for doubles agrees with the standard library.
    @Test(arguments: UInt64(0)..<20)
    func `rounds like the standard library`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let whole = String(UInt64.random(in: 0 ... .max, using: &generator))
                .prefix(.random(in: 1...20, using: &generator))
            let fraction = String(UInt64.random(in: 0 ... .max, using: &generator))
            let exponent = Int.random(in: -330...280, using: &generator)
            let text = "\(whole).\(fraction)e\(exponent)"
            #expect(try JSON(parsing: text).double == Double(text), "seed \(seed)")
        }
    }

    @Test(arguments: ["1e999", "-1e999", "1e309", "0.1e400", String(repeating: "9", count: 400)])
    func `rejects a number beyond the range of a double`(_ text: String) {
        #expect(reason(of: text) == .numberOutOfRange)
    }

    @Test func `accepts the greatest double and any number of digits`() throws {
        let greatest = Double.greatestFiniteMagnitude
        #expect(try JSON(parsing: "1.7976931348623157e308") == .double(greatest))
        #expect(try JSON(parsing: "17976931348623157" + "e292") == .double(greatest))
        #expect(try JSON(parsing: "17976931348623157" + "0000e288").double == greatest)
        let long = "0." + String(repeating: "3", count: 100_000)
        #expect(try JSON(parsing: long).double == 1.0 / 3)
        let integer = "1" + String(repeating: "0", count: 308)
        #expect(try JSON(parsing: integer).double == 1e308)
    }

    @Test(arguments: ["01", "-", "1.", ".5", "+1", "1e", "1e+", "0x1", "NaN", "Infinity", "-01"])
    func `rejects malformed numbers`(_ text: String) {
        #expect(reason(of: text) != nil)
    }

    @Test(
        arguments: [
            (9_007_199_254_740_993, 9_007_199_254_740_992, 1),
            (9_007_199_254_740_992, 9_007_199_254_740_992, 0), (.max, 0x1p63, -1),
            (.min, -0x1p63, 0), (.min, -0x1.0000000000001p63, 1), (.max, .infinity, -1),
            (.min, -.infinity, 1), (.min, .nan, 1), (0, -0.0, 0), (0, .leastNonzeroMagnitude, -1),
            (0, -.leastNonzeroMagnitude, 1),
            (-1, -1.5, 1), (-2, -1.5, -1), (1, 1.5, -1), (2, 1.5, 1),
        ] as [(Int64, Double, Int)]
    )
    func `an integer is compared with a double by value`(
        integer: Int64,
        double: Double,
        order: Int
    ) {
        #expect(integer.compared(with: double).signum() == order)
        #expect(Int128(integer).compared(with: double).signum() == order)
    }
}

/// Why a text is refused by both the scan and the parser, which must agree; `nil` if accepted.
func reason(of text: some StringProtocol) -> JSONError.Reason? {
    reason(of: Array(text.utf8))
}

func reason(of bytes: [UInt8]) -> JSONError.Reason? {
    var errors: [JSONError?] = [nil, nil]
    do throws(JSONError) { _ = try JSONScanner.validate(bytes.span) } catch { errors[0] = error }
    do throws(JSONError) { _ = try JSON(parsing: bytes) } catch { errors[1] = error }
    #expect(errors[0] == errors[1])
    return errors[0]?.reason
}
