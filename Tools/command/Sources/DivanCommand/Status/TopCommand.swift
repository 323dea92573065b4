import DivanCommandLine
import DivanJSON

/// `divan top`.
enum TopCommand: Command {
    static let syntax = CommandSyntax(
        name: "top",
        summary: "show all that works with databases on this machine, again and again",
        operands: [
            .init(name: "DB", isOptional: true, isRepeating: true, completion: .database)
        ],
        options: [
            .value("--interval", "MS", "milliseconds between two looks (default: 1000)"),
            .json,
        ],
        details: """
            One line for each push, pull, sync and serve: its state, documents and bytes with their
            rates, what waits to be pushed, open conflicts, and whom it is connected with; below it
            its last error, and what it waits for if it does not go on. Programs that use the library
            are seen like commands if they ask for that (DatabaseConfiguration.publishesStatus).
            Other processes that have a database open are listed, too. Without DB all
            databases are shown that processes of yours have open. No database is opened.

            Keys: up and down choose a line, Enter opens it, / shows only lines with a text, ? lists
            the keys, q ends.

            Where there is no terminal the lines are printed once; with --json as divan status
            prints them, each with the path of its database.
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
        let bell = keyboard.bell
        interruption.onRequest { bell.ring() }
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
        guard !entries.isEmpty else { return terminal.note("Nothing runs") }
        terminal.result(TopLine.titles(hasHistory: false))
        for entry in entries {
            let line = TopLine(entry, among: entries)
            terminal.result(line.text(nil).escapingControlCharacters())
            for trouble in line.troubles {
                terminal.result("  ! \(trouble)".escapingControlCharacters())
            }
        }
    }
}
