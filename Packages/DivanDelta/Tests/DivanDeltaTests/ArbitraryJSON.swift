import DivanJSON

extension JSON {
    /// An object that depends only on the generator, with keys that have a meaning elsewhere.
    static func arbitraryBody(using generator: inout some RandomNumberGenerator) -> JSON {
        .object(arbitraryObject(depth: 3, using: &generator))
    }

    static func arbitrary(
        depth: Int = 3,
        using generator: inout some RandomNumberGenerator
    ) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .int(.random(in: 0...3, using: &generator))
        case 3: return .double(Double(Int.random(in: 0...3, using: &generator)))
        case 4: return .string(text(using: &generator))
        case 5, 6:
            let count = Int.random(in: 0...4, using: &generator)
            return .array((0..<count).map { _ in arbitrary(depth: depth - 1, using: &generator) })
        default: return .object(arbitraryObject(depth: depth - 1, using: &generator))
        }
    }

    /// This value with some of its parts replaced, added or removed.
    func edited(using generator: inout some RandomNumberGenerator) -> JSON {
        guard Int.random(in: 0..<6, using: &generator) > 0 else {
            return kind == .object ? self : .arbitrary(using: &generator)
        }
        switch self {
        case .object(let members):
            var members = members
            for key in members.keys where .random(using: &generator) {
                let isRemoved = Int.random(in: 0..<4, using: &generator) == 0
                members[key] = isRemoved ? nil : members[key]?.edited(using: &generator)
            }
            if Bool.random(using: &generator) {
                members[Self.key(using: &generator)] = .arbitrary(using: &generator)
            }
            return .object(members)
        case .array(let items):
            var items = items.map { $0.edited(using: &generator) }
            if Bool.random(using: &generator) { items.append(.arbitrary(using: &generator)) }
            if Bool.random(using: &generator) { items = Array(items.dropFirst()) }
            return .array(items)
        case .string(let text):
            let offset = Int.random(in: 0...text.count, using: &generator)
            return .string(text.prefix(offset) + "é|" + text.dropFirst(offset + 1))
        default: return self
        }
    }

    private static func arbitraryObject(
        depth: Int,
        using generator: inout some RandomNumberGenerator
    ) -> JSONObject {
        let count = Int.random(in: 0...5, using: &generator)
        return JSONObject(
            (0..<count).map { _ in
                (key: key(using: &generator), value: arbitrary(depth: depth, using: &generator))
            }
        )
    }

    private static func key(using generator: inout some RandomNumberGenerator) -> String {
        let keys = ["0", "1", "2", "0-", "1-", "", "@type", "_attachments", "é", "e\u{301}", "a"]
        return keys.randomElement(using: &generator) ?? "a"
    }

    private static func text(using generator: inout some RandomNumberGenerator) -> String {
        let count = Int.random(in: 0...90, using: &generator)
        let alphabet: [Character] = ["a", "|", "+", "-", "=", "7", "é", "東", "😀"]
        return String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
    }
}
