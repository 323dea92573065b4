import DivanTestKit
import Testing

@Suite("Numbers as text")
struct NumberTextTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The text of a number in an array that a query builds.
    private func text(of number: Double) throws -> String {
        try scratch.execute("DELETE FROM numbers")
        try scratch.bind("INSERT INTO numbers VALUES (?)", number)
        let found = try scratch.value("(SELECT divan_array1(number) FROM numbers)")
        #expect(found.hasPrefix("["))
        return String(found.dropFirst().dropLast())
    }

    @Test("A double is written as in document bodies")
    func asInBodies() throws {
        try scratch.execute("CREATE TABLE numbers (number)")
        let seed = TestSeed.choose()
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        var numbers: [Double] = [
            0, -0.0, 1, -1, 0.1, 0.5, 1e14, 1e15, 1.5e15, 9e15, 0x1p53, -0x1p53, 0x1p53 + 2, 1e16,
            1e17, 1e22, 1e23,
            1e-3, 1e-4, 0.00012345, 1e-5, 9.9999e-5, .leastNonzeroMagnitude, .leastNormalMagnitude,
            .greatestFiniteMagnitude, 0.1 + 0.2, 1.0 / 3, 123_456_789.125,
        ]
        numbers += (1...40).map { Double(bitPattern: (1 << ($0 / 2)) + 3 * $0) }
        for exponent in -1_074...1_023 {
            numbers.append(Double(sign: .plus, exponent: exponent, significand: 1))
        }
        for _ in 0..<2_000 {
            let any = Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator))
            if any.isFinite { numbers.append(any) }
            numbers.append(Double(Int64.random(in: -1 << 54...1 << 54, using: &generator)))
            numbers.append(Double(Int32.random(in: .min ... .max, using: &generator)) / 1000)
        }
        for number in numbers { #expect(try text(of: number) == number.description) }
    }
}
