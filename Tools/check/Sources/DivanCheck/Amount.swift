/// A number as written in a source (`16 << 10`, `.seconds(15)`) or on a page (`16 KiB`, `15 s`).
///
/// Times are in milliseconds, so that both forms can be compared.
struct Amount: Equatable, CustomStringConvertible {
    private let number: Double
    private let isTime: Bool

    var description: String {
        number == number.rounded() ? "\(Int(number))\(isTime ? " ms" : "")" : "\(number)"
    }

    /// A time and a number are equal if the number counts seconds, or milliseconds.
    static func == (left: Amount, right: Amount) -> Bool {
        if left.isTime == right.isTime { return left.number == right.number }
        let (time, count) =
            left.isTime ? (left.number, right.number) : (right.number, left.number)
        return time == count || time == count * 1000
    }

    /// Parses what follows the equals sign of a declaration; `nil` if that is not a number.
    init?(default code: Substring) {
        guard let sign = code.firstRange(of: " = ") else { return nil }
        var text = code[sign.upperBound...]
        while text.last == "," || text.last == " " { text.removeLast() }
        if let open = text.firstIndex(of: "("), text.last == ")" {
            let unit = text[..<open].split(separator: ".").last ?? ""
            guard let scale = Self.times.first(where: { $0.name == unit })?.scale,
                let count = Self.product(text[text.index(after: open)...].dropLast())
            else { return nil }
            self.init(number: count * scale, isTime: true)
        } else {
            guard let count = Self.product(text) else { return nil }
            self.init(number: count, isTime: false)
        }
    }

    /// Parses the beginning of a table cell; `nil` if that is not a number.
    init?(told cell: Substring) {
        let text = cell.drop { $0 == " " }
        let digits = text.prefix { $0.isWholeNumber || $0 == "," || $0 == "." || $0 == "\u{202f}" }
        // Thousands are separated by a comma, or by a space.
        var rest = text[digits.endIndex...].drop { $0 == " " }
        var count = String(digits.filter { $0 != "," && $0 != "\u{202f}" })
        while digits.count <= 3, case let group = rest.prefix(while: \.isWholeNumber),
            group.count == 3
        {
            count += group
            rest = rest[group.endIndex...].drop { $0 == " " }
        }
        guard let number = Double(count) else { return nil }
        let unit = rest.prefix(while: \.isLetter)
        if let scale = Self.times.first(where: { $0.sign == unit })?.scale {
            self.init(number: number * scale, isTime: true)
        } else {
            let scale = Self.sizes.first { $0.sign == unit }?.scale ?? 1
            self.init(number: number * scale, isTime: false)
        }
    }

    private init(number: Double, isTime: Bool) {
        self.number = number
        self.isTime = isTime
    }

    private static let times: [(name: Substring, sign: Substring, scale: Double)] = [
        ("milliseconds", "ms", 1), ("seconds", "s", 1_000), ("minutes", "min", 60_000),
        ("hours", "h", 3_600_000),
    ]

    private static let sizes: [(sign: Substring, scale: Double)] = [
        ("KiB", 1_024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
    ]

    /// `60`, `1_000`, `16 << 10`, `5 * 60`.
    private static func product(_ text: Substring) -> Double? {
        let words = text.split(separator: " ").map { $0.filter { $0 != "_" } }
        guard let first = words.first.flatMap({ Double($0) }) else { return nil }
        if words.count == 1 { return first }
        guard words.count == 3, let second = Int(words[2]) else { return nil }
        switch words[1] {
        case "<<": return Double(Int(first) << second)
        case "*": return first * Double(second)
        default: return nil
        }
    }
}
