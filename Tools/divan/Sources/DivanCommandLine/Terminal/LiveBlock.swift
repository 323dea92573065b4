/// Some lines at the bottom of a terminal that are drawn again and again in one place.
package struct LiveBlock {
    private let terminal: Terminal
    private var lineCount = 0

    package init(_ terminal: Terminal) {
        self.terminal = terminal
    }

    /// Draws the lines in place of the last ones; what does not fit is cut.
    package mutating func show(_ lines: [String]) {
        let fitting = lines.prefix(max(1, terminal.height - 1)).map { line in
            // By cells: a line that wraps takes two lines, of which one would stay.
            line.escapingControlCharacters().cut(toCells: terminal.width - 1)
        }
        terminal.write(erasing + fitting.map { $0 + "\n" }.joined(), to: 2)
        lineCount = fitting.count
    }

    /// Takes the lines away, so that others can be written.
    package mutating func clear() {
        if lineCount > 0 { terminal.write(erasing, to: 2) }
        lineCount = 0
    }

    /// Up to the first line, and everything below it away.
    private var erasing: String {
        lineCount > 0 ? "\u{1B}[\(lineCount)A\r\u{1B}[J" : ""
    }
}
