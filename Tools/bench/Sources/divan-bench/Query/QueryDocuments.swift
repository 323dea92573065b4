import DivanDatabase
import DivanJSON
import DivanRevisions

/// The documents that queries are measured on: 1.2 KB each, nine members, a text whose words vary
/// in frequency like those of natural texts.
enum QueryDocuments {
    static let count = 100_000

    static func id(_ number: Int) -> String { "doc-\(number)" }

    static func body(_ number: Int) throws -> [UInt8] {
        let json: JSON = [
            "active": .bool(number % 2 == 0),
            "dims": ["city": .string("c\(number % 97)"), "w": .int(Int64(number % 50))],
            "kind": .string("k\(number % 20)"),
            "maker": .string("doc-\(number &* 7_919 % 500)"),
            "name": .string("Chair \(number)"),
            "parts": [
                ["n": .string("n\(number % 500)"), "qty": 4],
                ["n": "seat", "qty": 1],
            ],
            "price": .int(Int64(number % 1_000)),
            "story": .string(story(number)),
            "unique": .int(Int64(number)),
            "zone": .int(Int64(number % 100)),
        ]
        return try json.canonicalBytes()
    }

    /// Saves all of them, or `count`, a thousand per transaction.
    static func fill(_ store: Store, count: Int = Self.count) throws {
        for start in stride(from: 0, to: count, by: 1_000) {
            try store.write { try save(start..<start + 1_000, $0) }
        }
    }

    /// Saves some of them, with the values of those so much further on.
    static func save(
        _ numbers: Range<Int>,
        changedBy shift: Int = 0,
        _ writer: StoreWriter
    ) throws {
        for number in numbers {
            let id = DocumentID(unchecked: id(number))
            _ = try writer.save(id, in: .default, body: body(number + shift))
        }
    }

    private static func story(_ number: Int) -> String {
        var generator = Xorshift(seed: UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15)
        var text = ""
        while text.utf8.count < 900 {
            // The product of two makes small numbers frequent.
            let left = generator.next() % 64
            let right = generator.next() % 64
            text += text.isEmpty ? "" : " "
            text += word(Int(left * right))
        }
        return text
    }

    /// A word of two or three syllables for a number.
    static func word(_ number: Int) -> String {
        let beginnings = ["ba", "ko", "ri", "tu", "me", "la", "so", "ni"]
        let endings = ["ner", "ling", "ted", "ful", "ment", "ry", "tion", "ves"]
        let middle = number / 64 == 0 ? "" : beginnings[number / 64 % 8] + "s"
        return beginnings[number % 8] + middle + endings[number / 8 % 8]
    }
}
