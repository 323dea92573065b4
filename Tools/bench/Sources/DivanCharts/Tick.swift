import Foundation

/// The marks of a scale, and the format of their numbers.
enum Tick {
    /// Four to eight round numbers from 0 up to a value.
    static func marks(upTo highest: Double) -> [Double] {
        guard highest.isFinite, highest > 0 else { return [0] }
        let power = pow(10, (log10(highest)).rounded(.down))
        let step = [0.2, 0.5, 1, 2].map { $0 * power }.first { highest / $0 <= 6 } ?? power
        return (0...8).map { Double($0) * step }.filter { $0 <= highest }
    }

    /// A number in few characters, such as `0.94`, `12.5`, `81,500`, `2.4 M`.
    static func text(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        switch abs(value) {
        case 1e6...: return "\(trimmed(String(format: "%.2f", value / 1e6))) M"
        case 1_000...:
            let digits = String(format: "%.0f", value)
            return "\(digits.dropLast(3)),\(digits.suffix(3))"
        case 100...: return String(format: "%.0f", value)
        case 10...: return trimmed(String(format: "%.1f", value))
        case 0: return "0"
        default: return trimmed(String(format: "%.2f", value))
        }
    }

    /// A ratio with as many digits as its neighbours.
    static func ratio(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        return String(format: abs(value) < 100 ? "%.2f" : "%.0f", value)
    }

    /// The common logarithm; 0 if there is none.
    static func logarithm(_ value: Double) -> Double { value > 0 ? log10(value) : 0 }

    /// The number with a logarithm.
    static func power(of logarithm: Double) -> Double { pow(10, logarithm) }

    private static func trimmed(_ text: String) -> String {
        guard text.contains(".") else { return text }
        let digits = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(digits.reversed())
    }
}
