import DivanCommandLine
import DivanJSON
import DivanPlatform
import DivanStatus

/// `divan status`.
enum StatusCommand: Command {
    static let syntax = CommandSyntax(
        name: "status",
        summary: "show the running replications and servers of a database",
        operands: [.database],
        options: [
            .flag("--watch", "refresh until interrupted (Ctrl-C)"),
            .value("--interval", "MS", "refresh interval in milliseconds (default: 1000)"),
            .json,
        ],
        details: """
            Shows each running push, pull, sync and serve: its activity, documents, bytes, pending
            documents, conflicts and next connection attempt, and what it is waiting for. Programs
            that use the library are included if they set DatabaseConfiguration.publishesStatus.

            The processes publish these figures twice a second in files that only you can read. The
            database is not opened.

            Exit code 3 if no such process is running.
            """,
        examples: ["divan status travel", "divan status travel --watch"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let interval: Int = try arguments.number("--interval", in: 100...60_000) ?? 1000
        let path = arguments.database
        try path.requireDatabase()
        let statusDirectory = StatusDirectory(bundle: path.bundle)
        guard arguments.has("--watch") else {
            let statuses = try statusDirectory.read()
            guard !statuses.isEmpty else {
                throw Failure(
                    kind: .notFound,
                    sentence: "no push, pull, sync or serve is running with \(path.name)",
                    hint: "run 'divan pending \(path.word)' to list documents that peers do not "
                        + "have yet"
                )
            }
            return show(statuses, terminal)
        }
        let interruption = Interruption()
        let stopped = TimedSignal()
        interruption.onRequest { stopped.signal() }
        var block = LiveBlock(terminal)
        repeat {
            let statuses = try statusDirectory.read()
            if terminal.isInteractive, !terminal.isJSON {
                let pages = statuses.map { StatusPage($0).lines(now: Moment.now()) }
                let none = "No process is running with \(path.name)"
                block.show(pages.isEmpty ? [none] : Array(pages.joined()))
            } else {
                show(statuses, terminal)
                try terminal.requireOutput()
            }
        } while !stopped.wait(for: .milliseconds(interval))
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
