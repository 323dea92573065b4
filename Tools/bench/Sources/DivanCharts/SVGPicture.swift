/// A picture as SVG text, made of lines, bars and words; readable on light and dark pages.
///
/// Colours are classes of a style sheet within the picture, so that a browser chooses those that suit the
/// reader's page. Coordinates are pixels from the upper left corner.
struct SVGPicture {
    /// The role of a part; the style sheet defines its appearance.
    enum Role: String, CaseIterable {
        /// Titles and what should be read first.
        case strong
        /// Other words.
        case plain
        /// Scales and their labels.
        case faint
        /// What was measured.
        case ours
        /// What falls short.
        case behind
        /// What it is compared with.
        case other
        /// A third of its kind.
        case third
        /// A fourth of its kind.
        case fourth

        fileprivate var colours: (light: String, dark: String) {
            switch self {
            case .strong: ("#1f2328", "#f0f6fc")
            case .plain: ("#424a53", "#c9d1d9")
            case .faint: ("#818b98", "#7d8590")
            case .ours: ("#0969da", "#58a6ff")
            case .behind: ("#bc4c00", "#f0883e")
            case .other: ("#1a7f37", "#3fb950")
            case .third: ("#8250df", "#bc8cff")
            case .fourth: ("#bf3989", "#f778ba")
            }
        }
    }

    /// The alignment of words at their coordinate.
    enum Anchor: String {
        case start, middle, end
    }

    private let width: Double
    private let height: Double
    private let title: String
    private var parts: [String] = []

    /// Creates a picture of a size; the title is read by screen readers.
    init(width: Double, height: Double, title: String) {
        self.width = width
        self.height = height
        self.title = title
    }

    mutating func text(
        _ words: String,
        _ x: Double,
        _ y: Double,
        _ role: Role = .plain,
        _ anchor: Anchor = .start
    ) {
        parts.append(
            "<text class=\"\(role.rawValue)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
                + "text-anchor=\"\(anchor.rawValue)\">\(Self.escaped(words))</text>"
        )
    }

    mutating func bar(x: Double, y: Double, width: Double, height: Double, _ role: Role) {
        parts.append(
            "<rect class=\"\(role.rawValue)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
                + "width=\"\(Self.number(max(width, 1)))\" height=\"\(Self.number(height))\" rx=\"2\"/>"
        )
    }

    mutating func line(_ points: [(x: Double, y: Double)], _ role: Role, isDashed: Bool = false) {
        let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
        parts.append(
            "<polyline class=\"line \(role.rawValue)\"\(isDashed ? " stroke-dasharray=\"4 4\"" : "") "
                + "points=\"\(list.joined(separator: " "))\"/>"
        )
    }

    mutating func dot(_ x: Double, _ y: Double, _ role: Role) {
        parts.append(
            "<circle class=\"\(role.rawValue)\" cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"3\"/>"
        )
    }

    /// The picture.
    var source: String {
        let size = "\(Self.number(width))\" height=\"\(Self.number(height))"
        let box = "0 0 \(Self.number(width)) \(Self.number(height))"
        let title = Self.escaped(title)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(size)" viewBox="\(box)" role="img">
            <title>\(title)</title>
            <style>
            text { font: 12px system-ui, sans-serif; }
            text.strong { font-weight: 600; }
            .line { fill: none; stroke-width: 2; }
            .line.faint { stroke-width: 1; opacity: 0.5; }
            \(Self.rules(\.light))
            @media (prefers-color-scheme: dark) {
            \(Self.rules(\.dark))
            }
            </style>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    private static func rules(
        _ shade: (_ colours: (light: String, dark: String)) -> String
    )
        -> String
    {
        Role.allCases.map { role in
            let colour = shade(role.colours)
            return ".\(role.rawValue) { fill: \(colour); } "
                + ".line.\(role.rawValue) { fill: none; stroke: \(colour); }"
        }.joined(separator: "\n")
    }

    /// A coordinate with a tenth of a pixel; 0 if it is not a number.
    private static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "0" }
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let rest = abs(tenths) % 10 == 0 ? "" : ".\(abs(tenths) % 10)"
        return "\(sign)\(abs(tenths) / 10)\(rest)"
    }

    /// The words without characters that XML reserves or does not allow at all.
    private static func escaped(_ words: String) -> String {
        var result = ""
        for scalar in words.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
