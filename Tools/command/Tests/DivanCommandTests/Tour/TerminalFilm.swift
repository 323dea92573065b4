/// What a terminal shows, moment by moment, at a readable speed.
///
/// The moments are computed, not measured: each key takes the same time, and the time for output is
/// proportional to its lines. So the same lines give the same film, however busy the machine is.
struct TerminalFilm {
    /// What is visible from a moment on.
    struct Frame: Equatable {
        /// Seconds since the beginning.
        var time: Double
        /// The visible lines, `rowCount` of them.
        var rows: [[Screen.Cell]]
        /// Where the next character goes.
        var cursor: (row: Int, column: Int)

        static func == (a: Frame, b: Frame) -> Bool {
            a.time == b.time && a.rows == b.rows && a.cursor == b.cursor
        }
    }

    let columnCount: Int
    let rowCount: Int
    private(set) var frames: [Frame] = []
    /// Seconds that the film takes.
    private(set) var duration = 0.0
    private var screen: Screen

    private static let keyTime = 0.025
    /// Between the last key and the end of the line.
    private static let breath = 0.5
    /// For an answer, and for each of its lines.
    private static let readingTime = 0.9
    private static let lineTime = 0.28

    init(columnCount: Int, rowCount: Int) {
        self.columnCount = columnCount
        self.rowCount = rowCount
        screen = Screen(columnCount: columnCount)
    }

    /// Shows a line as it is typed, key by key, in bold to distinguish it from the output.
    mutating func type(_ line: String) {
        screen.write("\u{1B}[1m")
        for character in line {
            screen.write(String(character))
            take(for: Self.keyTime)
        }
        screen.write("\u{1B}[0m")
        duration += Self.breath
    }

    /// Shows a program's output, all at once, long enough to be read.
    mutating func show(_ sent: String) {
        let before = screen.lines.count
        screen.write(sent)
        take(for: Self.readingTime + Self.lineTime * Double(max(0, screen.lines.count - before)))
    }

    private mutating func take(for seconds: Double) {
        let first = max(0, screen.lines.count - rowCount)
        let visible = screen.lines[first...] + Array(repeating: [Screen.Cell](), count: rowCount)
        frames.append(
            Frame(
                time: duration,
                rows: visible.prefix(rowCount).map { Self.trimmed($0) },
                cursor: (screen.row - first, screen.column)
            )
        )
        duration += seconds
    }

    private static func trimmed(_ cells: [Screen.Cell]) -> [Screen.Cell] {
        let blank = Screen.Cell()
        return cells.reversed().drop { $0 == blank }.reversed()
    }
}

/// Lines of a film that stay in one place for a while, and may grow.
///
/// A typed line is one strip, not one for each key; scrolling creates a new strip for each line.
struct FilmStrip: Equatable {
    let row: Int
    /// The line in its final form.
    var cells: [Screen.Cell]
    /// Seconds at which it appears, and disappears.
    let begin: Double
    var end: Double
    /// How many cells are visible from which time on; the first entry is the beginning.
    var growth: [Step]

    struct Step: Equatable {
        let time: Double
        let count: Int
    }

    /// The strips of a film, in the order of their lines; empty lines have none.
    static func strips(of film: TerminalFilm) -> [FilmStrip] {
        (0..<film.rowCount).flatMap { row -> [FilmStrip] in
            var strips: [FilmStrip] = []
            for (index, frame) in film.frames.enumerated() {
                let isLast = index + 1 == film.frames.count
                let end = isLast ? film.duration : film.frames[index + 1].time
                let cells = frame.rows[row]
                if var last = strips.last, last.end == frame.time, cells.starts(with: last.cells) {
                    if cells.count > last.cells.count {
                        last.growth.append(Step(time: frame.time, count: cells.count))
                    }
                    (last.cells, last.end) = (cells, end)
                    strips[strips.count - 1] = last
                } else if !cells.isEmpty {
                    let step = Step(time: frame.time, count: cells.count)
                    strips.append(
                        FilmStrip(
                            row: row,
                            cells: cells,
                            begin: frame.time,
                            end: end,
                            growth: [step]
                        )
                    )
                }
            }
            return strips
        }
    }
}
