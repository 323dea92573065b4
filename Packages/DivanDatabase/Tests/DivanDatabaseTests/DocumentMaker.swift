import DivanJSON
import DivanTestKit

/// The source of randomness for a query or document.
struct Dice {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func pick<Item>(_ items: [Item]) -> Item {
        items[Int.random(in: 0..<items.count, using: &generator)]
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &generator) < percent
    }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }
}

/// Makes random documents whose values often coincide.
struct DocumentMaker {
    /// The only two dates; every other text is none.
    static let dates = ["2020-02-29T12:30:05Z", "2019-12-31T23:59:59.250+02:00"]

    private static let keys = ["a", "b", "c", "it's", "z.y"]
    private static let texts = [
        "", "a", "b", "ab", "A", "B", "aB", "12", "3x", "it's", "ä", "Ä", "äb", "%", "a_c", " a ",
    ]

    static func document(_ dice: inout Dice) -> JSON {
        var members: [JSONObject.Member] = []
        for key in keys where dice.chance(75) { members.append((key, value(depth: 2, &dice))) }
        if dice.chance(80) {
            let items = (0..<dice.number(in: 0...4)).map { _ in value(depth: 1, &dice) }
            members.append(("list", .array(items)))
        }
        return .object(JSONObject(members))
    }

    private static func value(depth: Int, _ dice: inout Dice) -> JSON {
        guard depth > 0, dice.chance(20) else { return scalar(&dice) }
        if dice.chance(50) { return .array((0..<2).map { _ in value(depth: depth - 1, &dice) }) }
        return .object([
            "a": value(depth: depth - 1, &dice), "b": value(depth: depth - 1, &dice),
        ])
    }

    static func scalar(_ dice: inout Dice) -> JSON {
        switch dice.number(in: 0...19) {
        case 0, 1: return .null
        case 2, 3: return .bool(dice.chance(50))
        case 4, 5: return .double(Double(dice.number(in: -6...6)) / 4)
        case 6: return .string(dice.pick(dates))
        case 7...12: return .string(dice.pick(texts))
        default: return .int(Int64(dice.number(in: -3...6)))
        }
    }
}
