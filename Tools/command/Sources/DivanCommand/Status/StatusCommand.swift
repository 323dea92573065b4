import Dispatch
import DivanCommandLine
import DivanJSON
import DivanStatus

/// `divan status`.
enum StatusCommand: Command {
    static let syntax = CommandSyntax(
        name: "status",
        summary: "tell what push, pull, sync and serve are doing with a database now",
        operands: [.database],
        options: [
            .flag("--watch", "show it again and again, until Ctrl-C"),
            .value("--interval", "MS", "milliseconds between two looks (default: 1000)"),
            .json,
        ],
        details: """
            Looks at running commands from outside: what each is doing, documents and bytes with
            their rates, what waits to be pushed, conflicts, when an offline one tries again, and
            what one waits for that does not go on: reply to rev of soup, 12 s.
            They tell it in small files inside the database that only you can read; the database
            itself is not touched. Figures are at most half a second old.

            With --json one object a line for each command: verb, pid, activity, url, documents
            and collections (pushed, pulled, deleted, errors), expected, bytes, rates, pending,
            conflicts, error, retryAt, stall, waits; for serve: urls, connections, documents, bytes,
            rates. A program that uses the library is seen too if it asks for that
            (DatabaseConfiguration.publishesStatus); program names it.

            Exit code 3 when nothing runs.
            """,
        examples: ["divan status travel", "divan status travel --watch"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let interval: Int = try arguments.number("--interval", in: 100...60_000) ?? 1000
        let path = arguments.database
        try path.requireDatabase()
        let board = StatusBoard(bundle: path.bundle)
        guard arguments.has("--watch") else {
            let statuses = try board.read()
            guard !statuses.isEmpty else {
                throw Failure(
                    kind: .notFound,
                    sentence: "no push, pull, sync or serve runs with \(path.name); start one, "
                        + "or see divan pending \(path.word)"
                )
            }
            return show(statuses, terminal)
        }
        let interruption = Interruption()
        let stopped = DispatchSemaphore(value: 0)
        interruption.onRequest { stopped.signal() }
        var block = LiveBlock(terminal)
        repeat {
            let statuses = try board.read()
            if terminal.isInteractive, !terminal.isJSON {
                let pages = statuses.map { StatusPage($0).lines(now: Moment.now()) }
                block.show(
                    pages.isEmpty ? ["Nothing runs with \(path.name)"] : Array(pages.joined())
                )
            } else {
                show(statuses, terminal)
                try terminal.requireOutput()
            }
        } while stopped.wait(timeout: .now() + .milliseconds(interval)) == .timedOut
    }

    private static func show(_ statuses: [JSONObject], _ terminal: Terminal) {
        for status in statuses {
            if terminal.isJSON {
                terminal.result(JSON.object(status).canonicalText)
            } else {
                for line in StatusPage(status).lines(now: Moment.now()) { terminal.result(line) }
            }
        }
    }
}
