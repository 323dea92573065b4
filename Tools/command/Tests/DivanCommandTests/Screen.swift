/// What a terminal shows after a program wrote to it: supports the few control sequences that we use.
struct Screen {
    /// The style of a character.
    struct Style: Hashable {
        var isBold = false
        var isFaint = false
        /// One of the eight colours of SGR 30 to 37; `nil` is the terminal's own.
        var colour: Int?
    }

    /// A character with its style.
    struct Cell: Equatable {
        var character: Character = " "
        var style = Style()
    }

    /// Unknown control sequences.
    private(set) var strangers: [String] = []
    /// Whether any sequence asked for a style.
    private(set) var isStyled = false
    let columnCount: Int
    private(set) var lines: [[Cell]] = [[]]
    /// Where the next character goes; the column may be one after the last.
    private(set) var row = 0
    private(set) var column = 0
    private var style = Style()
    private var unfinished = ""

    init(columnCount: Int) {
        self.columnCount = columnCount
    }

    /// The lines from the first on, without trailing spaces.
    var text: String { lines.map(\.text).joined(separator: "\n") }

    mutating func write(_ text: String) {
        for scalar in text.unicodeScalars {
            if scalar == "\u{1B}" || !unfinished.isEmpty {
                unfinished.unicodeScalars.append(scalar)
                // `ESC [`, digits, and a letter that ends it.
                if unfinished.count > 2, scalar.value >= 0x40 { obey() }
            } else {
                put(Character(scalar))
            }
        }
    }

    private mutating func put(_ character: Character) {
        switch character {
        case "\r": column = 0
        case "\n": (row, column) = (row + 1, 0)
        default:
            if column == columnCount { (row, column) = (row + 1, 0) }
            reach()
            lines[row] += Array(repeating: Cell(), count: max(0, column - lines[row].count))
            lines[row].replaceSubrange(
                column..<min(column + 1, lines[row].count),
                with: [Cell(character: character, style: style)]
            )
            column += 1
        }
        reach()
    }

    private mutating func reach() {
        while lines.count <= row { lines.append([]) }
    }

    private mutating func obey() {
        let sequence = unfinished.dropFirst(2)
        unfinished = ""
        switch sequence.last {
        case "A": row = max(0, row - (Int(sequence.dropLast()) ?? 1))
        case "J" where sequence == "J":
            lines[row].removeLast(max(0, lines[row].count - column))
            lines.removeLast(lines.count - row - 1)
        case "K" where sequence == "2K": lines[row] = []
        case "m": setStyle(sequence.dropLast())
        default: strangers.append(String(sequence))
        }
    }

    private mutating func setStyle(_ parameters: Substring) {
        isStyled = true
        for text in parameters.split(separator: ";", omittingEmptySubsequences: false) {
            switch Int(text) ?? 0 {
            case 0: style = Style()
            case 1: style.isBold = true
            case 2: style.isFaint = true
            case 22: (style.isBold, style.isFaint) = (false, false)
            case let number where (30...37).contains(number): style.colour = number - 30
            case 39: style.colour = nil
            default: strangers.append(String(parameters) + "m")
            }
        }
    }
}

extension [Screen.Cell] {
    /// The characters, without trailing spaces.
    var text: String { String(String(map(\.character)).reversed().drop { $0 == " " }.reversed()) }
}
