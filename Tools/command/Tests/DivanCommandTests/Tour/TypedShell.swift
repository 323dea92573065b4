import DivanTestKit
import Foundation
import Testing

/// A bash on a terminal of 80 columns, into which lines are typed.
final class TypedShell {
    /// A typed line, and its output.
    struct Entry {
        let line: String
        /// What the terminal was sent after the line, including the next prompt.
        let raw: String
        /// What a person can read there in the end; a progress bar, for example, is gone.
        let output: String

        /// The same with some words replaced.
        func replacing(_ words: String, with others: String) -> Entry {
            Entry(
                line: line,
                raw: raw.replacing(words, with: others),
                output: output.replacing(words, with: others)
            )
        }
    }

    static let prompt = "$ "

    private let terminal: PseudoTerminal

    /// Opens a shell in the folder of another.
    init(_ shell: Shell) throws {
        let divan = URL(filePath: Shell.divan.path).deletingLastPathComponent().path
        terminal = try PseudoTerminal(
            shell,
            // Without its line editor, which draws more than is typed.
            running: ["/bin/bash", "--norc", "--noprofile", "--noediting", "-i"],
            environment: [
                "PATH": "\(divan):/usr/bin:/bin", "PS1": Self.prompt, "HOME": shell.path("home"),
                "HISTFILE": "", "LANG": "C.UTF-8",
            ]
        )
        try waitForPrompt(behind: 0)
    }

    /// Types a line, and reads until the prompt is back.
    func run(_ line: String) throws -> Entry {
        try enter(line) { before in try waitForPrompt(behind: before) }
    }

    /// Types a line whose command keeps running, and reads until the terminal shows a text.
    func start(_ line: String, until text: String) throws -> Entry {
        let entry = try enter(line) { _ in try terminal.waits(for: text) }
        // The redrawn part below does not count.
        let end = entry.output.range(of: text)?.upperBound ?? entry.output.endIndex
        return Entry(line: line, raw: entry.raw, output: String(entry.output[..<end]))
    }

    /// Presses Ctrl-C, and reads until the prompt is back; returns what the terminal shows in the end.
    func interrupt() throws -> String {
        let before = terminal.output.utf8.count
        terminal.type("\u{3}")
        try waitForPrompt(behind: before)
        return terminal.screen.text
    }

    /// Leaves the shell.
    func close() {
        terminal.type("exit\n")
        terminal.end()
    }

    private func enter(_ line: String, _ wait: (Int) throws -> Void) throws -> Entry {
        let sent = terminal.output.utf8.count
        terminal.type(line + "\n")
        try wait(sent)
        // The terminal echoes what is typed, and ends the line.
        let echoCount = line.utf8.count + 2
        let bytes = terminal.output.utf8.dropFirst(sent + echoCount)
        let raw = String(decoding: Array(bytes), as: UTF8.self)
        // Lines that the terminal wraps stay whole on a page.
        var wide = Screen(columnCount: 1_000)
        wide.write(raw)
        let lines = wide.lines.map(\.text)
        let shown = wide.isPrompting ? lines.dropLast() : lines[...]
        return Entry(line: line, raw: raw, output: shown.joined(separator: "\n"))
    }

    private func waitForPrompt(behind count: Int) throws {
        try terminal.waits { screen in
            terminal.output.utf8.count > count && screen.isPrompting
        }
    }
}

extension Screen {
    /// Whether the last line is a prompt with nothing after it.
    fileprivate var isPrompting: Bool {
        row == lines.count - 1 && column == TypedShell.prompt.count
            && lines[row].map(\.character) == Array(TypedShell.prompt)
    }
}
