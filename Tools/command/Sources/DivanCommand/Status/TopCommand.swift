import DivanCommandLine
import DivanJSON

/// `divan top`.
enum TopCommand: Command {
    static let syntax = CommandSyntax(
        name: "top",
        summary: "monitor all running replications and servers on this machine",
        operands: [
            .init(name: "DB", isOptional: true, isRepeating: true, completion: .database)
        ],
        options: [
            .value("--interval", "MS", "refresh interval in milliseconds (default: 1000)"),
            .json,
        ],
        details: """
            Shows a line for each process that has a database open: its documents, rates, pending
            documents, open conflicts and peers. A second line shows its last error, or what it is
            waiting for. Programs that use the library show figures if they set
            DatabaseConfiguration.publishesStatus.

            Without DB, all databases that your processes have open are included. No database is
            opened. If the output is not a terminal, or with --json, the lines are printed once.

            Keys: Up and Down select a line, Enter shows its details, / filters the lines, s sorts
            by the next column, ? lists the keys, q quits. The heading has the sums.
            """,
        examples: ["divan top", "divan top travel --json | jq .rates"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let interval: Int = try arguments.number("--interval", in: 100...60_000) ?? 1000
        let paths = arguments.operands.map { DatabasePath($0) }
        for path in paths { try path.requireDatabase() }
        guard terminal.isInteractive, !terminal.isJSON, terminal.resultWidth != nil,
            let keyboard = Keyboard()
        else { return print(RunningDatabases.look(at: paths), terminal) }
        let interruption = Interruption()
        let wait = keyboard.waitCanceller
        interruption.onRequest { wait.cancel() }
        var screen = TopScreen()
        var block = LiveBlock(terminal)
        defer { block.clear() }
        var next = ContinuousClock.now
        while !interruption.isRequested {
            if ContinuousClock.now >= next {
                screen.take(RunningDatabases.look(at: paths))
                next = ContinuousClock.now + .milliseconds(interval)
            }
            block.show(screen.lines(width: terminal.width - 1, now: Moment.now()))
            let rest = (next - ContinuousClock.now).inSeconds * 1000
            for key in keyboard.keys(within: Int32(min(max(rest.rounded(.up), 0), 60_000))) {
                guard screen.press(key) else { return }
            }
        }
    }

    private static func print(_ entries: [RunningDatabases.Entry], _ terminal: Terminal) {
        if terminal.isJSON {
            for entry in entries { terminal.result(JSON.object(entry.status).canonicalText) }
            return
        }
        guard !entries.isEmpty else { return terminal.note("Nothing is running") }
        terminal.result(TopLine.titles(hasHistory: false))
        for entry in entries {
            let line = TopLine(entry, among: entries)
            terminal.result(line.text(nil).escapingControlCharacters())
            for problem in line.problems {
                terminal.result("  ! \(problem)".escapingControlCharacters())
            }
        }
    }
}
