/// A film of a terminal as an animated picture: plain SVG with SMIL, no script, no external font.
///
/// It follows the reader's colours (`prefers-color-scheme`). If animation is not wanted
/// (`prefers-reduced-motion`), or not supported, it shows the last frame.
struct FilmDrawing {
    private let film: TerminalFilm
    private let title: String

    private static let fontSize = 14.0
    /// Every character has the same width, whatever font the reader has: `textLength` sets it.
    private static let cellWidth = 8.4
    private static let lineHeight = 19.0
    private static let margin = 14.0
    private static let barHeight = 30.0

    init(_ film: TerminalFilm, title: String) {
        self.film = film
        self.title = title
    }

    /// The whole file.
    var text: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(width)) \
        \(Self.number(height))" role="img" aria-label="\(Self.escaped(title))">
        <title>\(Self.escaped(title))</title>
        <style>\(Self.style)</style>
        <rect class="ground" x="0.5" y="0.5" width="\(Self.number(width - 1))" \
        height="\(Self.number(height - 1))" rx="8"/>
        <text class="name" x="\(Self.number(width / 2))" y="20" text-anchor="middle">\
        \(Self.escaped(title))</text>
        <svg x="\(Self.number(Self.margin))" y="\(Self.number(Self.barHeight))" \
        width="\(Self.number(screenWidth))" height="\(Self.number(screenHeight))">
        <g class="still">
        \(still)
        </g>
        <g class="moving">
        \(moving)
        </g>
        </svg>
        </svg>

        """
    }

    private var screenWidth: Double { Double(film.columnCount) * Self.cellWidth }
    private var screenHeight: Double { Double(film.rowCount) * Self.lineHeight }
    private var width: Double { screenWidth + 2 * Self.margin }
    private var height: Double { screenHeight + Self.barHeight + Self.margin }

    private static let style = """

        text{font:\(Int(fontSize))px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;\
        white-space:pre;fill:#1f2328}
        .ground{fill:#f6f8fa;stroke:#d1d9e0}.name{fill:#59636e}
        .cover{fill:#f6f8fa}.cursor{fill:#59636e}
        .b{font-weight:700}.f{fill:#59636e}
        .c1{fill:#cf222e}.c2{fill:#1a7f37}.c3{fill:#9a6700}.c4{fill:#0969da}.c5{fill:#8250df}\
        .c6{fill:#1b7c83}
        @media (prefers-color-scheme:dark){
        text{fill:#f0f6fc}.ground{fill:#0d1117;stroke:#3d444d}.name,.f{fill:#9198a1}
        .cover{fill:#0d1117}.cursor{fill:#9198a1}
        .c1{fill:#ff7b72}.c2{fill:#3fb950}.c3{fill:#d29922}.c4{fill:#58a6ff}.c5{fill:#bc8cff}\
        .c6{fill:#39c5cf}
        }
        @media (prefers-reduced-motion:no-preference){.still{display:none}}
        @media (prefers-reduced-motion:reduce){.moving{display:none}}

        """

    // MARK: Lines

    private var still: String {
        guard let frame = film.frames.last else { return "" }
        return frame.rows.enumerated().filter { !$0.element.isEmpty }
            .map { Self.line($0.element, row: $0.offset) }.joined(separator: "\n")
    }

    private var moving: String {
        let strips = FilmStrip.strips(of: film).map(drawing)
        return (strips + [cursor]).joined(separator: "\n")
    }

    /// A strip that appears and disappears, with a cover over what has not been typed yet.
    private func drawing(_ strip: FilmStrip) -> String {
        let isFirst = strip.begin == 0
        let isLast = strip.end == film.duration
        let times = (isFirst ? [] : [0.0]) + [strip.begin] + (isLast ? [] : [strip.end])
        let values = (isFirst ? [] : ["none"]) + ["inline"] + (isLast ? [] : ["none"])
        var parts = [
            animation("display", values, at: times), Self.line(strip.cells, row: strip.row),
        ]
        if strip.growth.count > 1 {
            let places = strip.growth.map { Self.number(Double($0.count) * Self.cellWidth) }
            let moments = (isFirst ? [] : [0.0]) + strip.growth.map(\.time)
            let top = Self.number(Double(strip.row) * Self.lineHeight)
            parts.append(
                "<rect class=\"cover\" y=\"\(top)\" width=\"\(Self.number(screenWidth))\" "
                    + "height=\"\(Self.number(Self.lineHeight))\">"
                    + animation("x", (isFirst ? [] : ["0"]) + places, at: moments) + "</rect>"
            )
        }
        return "<g display=\"none\">\(parts.joined())</g>"
    }

    private var cursor: String {
        let columns = film.frames.map { Self.number(Double($0.cursor.column) * Self.cellWidth) }
        let rows = film.frames.map { Self.number(Double($0.cursor.row) * Self.lineHeight + 2) }
        let times = film.frames.map(\.time)
        return "<rect class=\"cursor\" width=\"\(Self.number(Self.cellWidth))\" "
            + "height=\"\(Self.number(Self.lineHeight - 3))\">"
            + animation("x", columns, at: times) + animation("y", rows, at: times) + "</rect>"
    }

    /// Values of a property at moments, repeated forever; what does not change is left out.
    private func animation(_ property: String, _ values: [String], at times: [Double]) -> String {
        var (kept, moments): ([String], [String]) = ([], [])
        for (value, time) in zip(values, times) where value != kept.last {
            kept.append(value)
            moments.append(Self.number(time / max(film.duration, 0.001), places: 5))
        }
        return "<animate attributeName=\"\(property)\" values=\"\(kept.joined(separator: ";"))\" "
            + "keyTimes=\"\(moments.joined(separator: ";"))\" calcMode=\"discrete\" "
            + "dur=\"\(Self.number(film.duration))s\" repeatCount=\"indefinite\"/>"
    }

    /// A line of text, each run of one style in its own span.
    private static func line(_ cells: [Screen.Cell], row: Int) -> String {
        let indent = cells.prefix { $0 == Screen.Cell() }.count
        let shown = cells.dropFirst(indent)
        var runs: [(style: Screen.Style, text: String)] = []
        for cell in shown {
            if runs.last?.style == cell.style {
                runs[runs.count - 1].text.append(cell.character)
            } else {
                runs.append((cell.style, String(cell.character)))
            }
        }
        let spans = runs.map { run in
            let names = names(of: run.style)
            return names.isEmpty
                ? escaped(run.text)
                : "<tspan class=\"\(names.joined(separator: " "))\">\(escaped(run.text))</tspan>"
        }
        let baseline = Double(row) * lineHeight + fontSize
        return "<text x=\"\(number(Double(indent) * cellWidth))\" y=\"\(number(baseline))\" "
            + "textLength=\"\(number(Double(shown.count) * cellWidth))\" xml:space=\"preserve\">"
            + spans.joined() + "</text>"
    }

    private static func names(of style: Screen.Style) -> [String] {
        (style.isBold ? ["b"] : []) + (style.isFaint ? ["f"] : [])
            + (style.colour.map { (1...6).contains($0) ? ["c\($0)"] : [] } ?? [])
    }

    /// Text escaped for XML; control characters, which XML does not allow, become blanks.
    private static func escaped(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": line += "&amp;"
            case "<": line += "&lt;"
            case ">": line += "&gt;"
            case "\"": line += "&quot;"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: line += " "
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// A number with at most `places` decimals, and no trailing zeros.
    private static func number(_ value: Double, places: Int = 2) -> String {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let whole = Int((value * scale).rounded())
        let unit = Int(scale)
        var fraction = String(whole % unit + unit).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? "\(whole / unit)" : "\(whole / unit).\(fraction)"
    }
}
