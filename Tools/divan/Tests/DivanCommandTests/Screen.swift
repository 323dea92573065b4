/// What a terminal shows after a program wrote to it: the few control sequences that we use.
struct Screen {
    /// Control sequences that are none of these.
    private(set) var strangers: [String] = []
    private let columnCount: Int
    private var lines: [[Character]] = [[]]
    private var (row, column) = (0, 0)
    private var unfinished = ""

    init(columnCount: Int) {
        self.columnCount = columnCount
    }

    /// The lines from the first on, without spaces at their ends.
    var text: String {
        lines.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

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
            lines[row] += Array(repeating: " ", count: max(0, column - lines[row].count))
            lines[row].replaceSubrange(
                column..<min(column + 1, lines[row].count),
                with: [character]
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
        default: strangers.append(String(sequence))
        }
    }
}
