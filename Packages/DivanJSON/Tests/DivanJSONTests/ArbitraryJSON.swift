import DivanJSON

extension JSON {
    /// A value determined only by the generator: all kinds, awkward keys and texts.
    static func arbitrary(
        depth: Int = 4,
        using generator: inout some RandomNumberGenerator
    ) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .int(.random(in: .min ... .max, using: &generator))
        case 3: return .uint(.random(in: UInt64(Int64.max) + 1 ... .max, using: &generator))
        case 4:
            let value = Double(bitPattern: .random(in: .min ... .max, using: &generator))
            return .double(value.isFinite ? value : 0.5)
        case 5: return .int(.random(in: -100...100, using: &generator))
        case 6: return .string(text(using: &generator))
        case 7:
            let count = Int.random(in: 0...4, using: &generator)
            return .array((0..<count).map { _ in arbitrary(depth: depth - 1, using: &generator) })
        default:
            let count = Int.random(in: 0...20, using: &generator)
            return .object(
                JSONObject(
                    (0..<count).map { _ in
                        (
                            text(using: &generator),
                            arbitrary(depth: depth - 1, using: &generator)
                        )
                    }
                )
            )
        }
    }

    private static func text(using generator: inout some RandomNumberGenerator) -> String {
        let alphabet: [Character] = [
            "a", "b", "Z", "0", "_", "-", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é",
            "e\u{301}", "東", "😀",
        ]
        let count = Int.random(in: 0...12, using: &generator)
        return String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
    }
}
