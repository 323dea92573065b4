import DivanTestKit
import Testing

@Suite("Long calculations")
struct CalculationTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("A list of terms is calculated step by step as in SQLite")
    func asSQLite() throws {
        let seed = TestSeed.choose()
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        let terms = [
            "0", "1", "-1", "7", "2.5", "-0.5", "9223372036854775807", "(-9223372036854775807 - 1)",
            "1e300", "-1e300", "1e-300", "'12ab'", "'3.5'", "'text'", "x''", "x'02'", "NULL",
            "4096",
        ]
        for _ in 0..<3_000 {
            let count = Int.random(in: 1...6, using: &generator)
            var (steps, signs, list) = ("", "", "")
            for index in 0..<count {
                var sign = "+-*/%".randomElement(using: &generator) ?? "+"
                // Values are seldom MISSING, or every result would be.
                let isAny = Int.random(in: 0..<4, using: &generator) == 0
                let term = (isAny ? terms : Array(terms.prefix(10))).randomElement(
                    using: &generator
                )
                let operand = term ?? "1"
                // SQLite limits the operands of `%` to 64 bits; here they are not.
                if sign == "%", index > 0 {
                    let isSmall = "abs(1.0 * \(steps)) < 9e18 AND abs(1.0 * \(operand)) < 9e18"
                    if try scratch.value(isSmall) == "0" { sign = "+" }
                }
                steps = index == 0 ? operand : "(\(steps) \(sign) \(operand))"
                signs += index == 0 ? "+" : String(sign)
                list += ", \(operand) * 1"
            }
            let found = try scratch.value("divan_calculate2(divan_terms1('\(signs)'\(list)))")
            #expect(try found == scratch.value("\(steps) * 1"), "\(steps)")
        }
    }

    @Test("Lists of terms are joined in order, and one that is MISSING makes the result MISSING")
    func joining() throws {
        let lists = "divan_terms1('+', 8), divan_terms1('/-', 3, 1)"
        #expect(try scratch.value("divan_calculate1(divan_join_terms1(\(lists)))") == "1")
        let missing = "divan_join_terms1(\(lists), divan_terms1('+', NULL))"
        #expect(try scratch.value("divan_calculate1(\(missing))") == "MISSING")
    }

    @Test(
        "An invalid list of terms is MISSING and does not crash",
        arguments: ["NULL", "x''", "x'00'", "'text'", "7", "zeroblob(40)", "randomblob(24)"]
    )
    func malformed(argument: String) throws {
        _ = try scratch.value("divan_calculate1(\(argument))")
        _ = try scratch.value("divan_calculate1(divan_join_terms1(\(argument), \(argument)))")
        #expect(try scratch.value("divan_terms1('++', 1)") == "MISSING")
        #expect(try scratch.value("divan_terms1('', 1)") == "MISSING")
    }
}
