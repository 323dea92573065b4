import DivanPlatform

/// Some lines at the bottom of a terminal that are redrawn in place.
package struct LiveBlock {
    private let terminal: Terminal
    private var lineCount = 0

    package init(_ terminal: Terminal) {
        self.terminal = terminal
    }

    /// Draws the lines in place of the previous ones; what does not fit is truncated.
    package mutating func show(_ lines: [String]) {
        let fitting = lines.prefix(max(1, terminal.height - 1)).map { line in
            // By cells: a line that wraps takes two lines, of which one would remain.
            line.escapingControlCharacters().cut(toCells: terminal.width - 1)
        }
        terminal.write(erasing + fitting.map { $0 + "\n" }.joined(), to: .standardError)
        lineCount = fitting.count
    }

    /// Removes the lines, so that others can be written.
    package mutating func clear() {
        if lineCount > 0 { terminal.write(erasing, to: .standardError) }
        lineCount = 0
    }

    /// Moves up to the first line, and clears from there.
    private var erasing: String {
        lineCount > 0 ? "\u{1B}[\(lineCount)A\r\u{1B}[J" : ""
    }
}
