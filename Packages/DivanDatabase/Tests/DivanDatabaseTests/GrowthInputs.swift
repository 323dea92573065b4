import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import Synchronization
import Testing

/// A value of any size that is the worst case for something.
struct GrowthInput: Sendable {
    private struct Made: Hashable {
        let name: String
        let count: Int
    }

    /// Made once for all queries: that takes longer than most of them.
    private static let made = Mutex<[Made: QueryValue]>([:])

    let name: String
    private let make: @Sendable (_ count: Int) -> QueryValue

    private init(_ name: String, _ value: @escaping @Sendable (Int) -> QueryValue) {
        self.name = name
        make = value
    }

    /// The value of a size.
    func value(_ count: Int) -> QueryValue {
        Self.made.withLock { made in
            let key = Made(name: name, count: count)
            if let value = made[key] { return value }
            let value = make(count)
            made[key] = value
            return value
        }
    }

    /// The values beside which a value is the worst case.
    var partners: [GrowthInput] {
        name == Self.members.name ? [self, .empties] : [self, .members]
    }

    static func text(_ name: String, _ start: String = "", repeating part: String) -> GrowthInput {
        GrowthInput(name) { .string(start + String(repeating: part, count: $0)) }
    }

    /// An array or an object of items, which depend on their number and the count of all.
    static func container(
        _ name: String,
        _ brackets: String = "[]",
        _ item: @escaping @Sendable (Int, Int) -> String
    ) -> GrowthInput {
        GrowthInput(name) { count in
            let items = (0..<count).map { item($0, count) }.joined(separator: ",")
            return .container(Array("\(brackets.prefix(1))\(items)\(brackets.suffix(1))".utf8))
        }
    }

    static let empties = container("empty objects") { _, _ in "{}" }
    static let members = container("an object", "{}") { "\"k\(padded($0))\":\($1)" }

    static let all: [GrowthInput] = [
        text("letters", repeating: "a"),
        text("words", repeating: "ab "),
        text("accents", repeating: "éÄ"),
        text("marks in the wrong order", "a", repeating: "\u{300}\u{316}"),
        text("characters beyond 16 bits", repeating: "😀"),
        text("digits", repeating: "7"),
        text("zeros after the point", "0.", repeating: "0"),
        text("blanks", repeating: " "),
        text("a date with many digits", "2020-01-01T00:00:00.", repeating: "1"),
        text("an expression", repeating: "a{0,9}"),
        container("numbers") { number, _ in "\(number)" },
        container("texts with escapes") { number, _ in "\"\\u0061\\n\(number)\"" },
        empties,
        container("objects") { number, _ in "{\"b\":\(number),\"a\":[]}" },
        container("deep arrays") { number, count in
            number == 0
                ? String(repeating: "[", count: 90) + String(repeating: "]", count: 90) : "[[]]"
        },
        members,
        container("keys in the wrong order", "{}") { "\"k\(padded($1 - $0))\":0" },
        container("keys with escapes", "{}") { number, _ in "\"\\u006b\(number)\":0" },
    ]

    /// A number with seven digits.
    static func padded(_ number: Int) -> String { String("\(10_000_000 + number)".dropFirst()) }
}

/// A query whose size can be chosen.
struct GrowthShape: Sendable, CustomTestStringConvertible {
    let name: String
    let sql: @Sendable (_ count: Int) -> String
    var parameters: @Sendable (_ count: Int) -> [ExactText: QueryValue] = { _ in [:] }
    /// The documents, if there is more than one without properties.
    var documents: (@Sendable (_ count: Int) -> [String])?
    /// The index `i` of the documents.
    var index: QueryIndexDefinition?
    /// The size that is compared with eight times the size.
    var count = 2_000

    var testDescription: String { name }

    init(_ name: String, _ count: Int = 2_000, _ sql: @escaping @Sendable (Int) -> String) {
        self.name = name
        self.count = count
        self.sql = sql
    }

    /// A query with values for its parameters, which are called `$a`, `$b` and so on.
    init(_ sql: String, _ inputs: [GrowthInput]) {
        name = "\(sql): \(inputs.map(\.name).joined(separator: ", "))"
        self.sql = { _ in sql }
        parameters = { count in
            let names: [ExactText] = ["a", "b", "c", "d"]
            return Dictionary(
                uniqueKeysWithValues: zip(names, inputs).map { ($0, $1.value(count)) }
            )
        }
    }

    /// A query over documents.
    init(
        _ sql: String,
        over count: Int = 300,
        _ document: @escaping @Sendable (_ number: Int, _ count: Int) -> String
    ) {
        name = sql
        self.count = count
        self.sql = { _ in sql }
        documents = { count in (0..<count).map { document($0, count) } }
    }

    /// A query over one document.
    init(_ sql: String, ofOne document: @escaping @Sendable (_ count: Int) -> String) {
        name = sql
        self.sql = { _ in sql }
        documents = { [document($0)] }
    }
}

extension GrowthShape {
    /// Calls of a function with each number of arguments, all of them large.
    static func calls(of function: QueryFunction) -> [GrowthShape] {
        let counts = function.argumentCounts
        return Set([counts.lowerBound, min(counts.upperBound, 4)]).sorted().flatMap { count in
            let arguments = ["$a", "$b", "$c", "$d"].prefix(count).joined(separator: ", ")
            let sql = "SELECT \(function.rawValue)(\(arguments)) FROM _"
            guard count > 0 else { return [GrowthShape(sql, [])] }
            return GrowthInput.all.flatMap { input in
                let others = count == 1 ? [input] : input.partners
                return others.map { other in
                    GrowthShape(sql, [input] + Array(repeating: other, count: count - 1))
                }
            }
        }
    }

    /// Operators on two large values.
    static let operators: [GrowthShape] = {
        let comparisons = QueryComparison.allCases.map { "$a \($0.rawValue) $b" }
        let sums = QueryArithmetic.allCases.map { "$a \($0.rawValue) $b" }
        let others = [
            "$a IN $b", "$a NOT IN $b", "($a COLLATE NOCASE) IN $b",
            "($a COLLATE UNICODE:NODIAC) IN $b",
            "$a IN [$b, $b, $a]", "$a BETWEEN $b AND $b", "$a || $b", "-$a", "NOT $a", "$a AND $b",
            "$a OR $b", "$a IS NULL", "$a IS MISSING", "$a IS VALUED", "$a.k", "$a[-1]", "[$a, $b]",
            "{'x': $a, 'y': $b}", "CASE $a WHEN $b THEN 1 ELSE 2 END", "$a LIKE $b",
            "$a LIKE '%b%c'",
            "($a COLLATE NOCASE) = $b", "($a COLLATE UNICODE) = $b",
            "($a COLLATE UNICODE:NOCASE:NODIAC) LIKE $b",
        ]
        let quantifiers = QueryQuantifier.allCases.map {
            "\($0.rawValue) x IN $a SATISFIES x = 'k' END"
        }
        return (comparisons + sums + others + quantifiers).flatMap { text in
            GrowthInput.all.flatMap { input in
                let others = text.contains("$b") ? input.partners : [input]
                return others.map { GrowthShape("SELECT \(text) FROM _", [input, $0]) }
            }
        }
    }()
}
