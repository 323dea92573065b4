import CDivanLineEditor
import Dispatch
import DivanCommandLine
import DivanExchange
import DivanPlatform

/// `divan shell`, and `divan DATABASE`.
enum ShellCommand: Command {
    static let syntax = CommandSyntax(
        name: "shell",
        aliases: ["open"],
        summary: "open an interactive query shell (also: divan DB)",
        operands: [.database],
        details: """
            A query can span several lines, and ends with a semicolon. The arrow keys recall
            earlier input, and the Tab key completes words. Lines that begin with a dot are
            commands of the shell; .help lists them. Ctrl-C stops a query or clears the input, and
            Ctrl-D exits. The database is opened read-only.
            """,
        examples: ["divan travel", "echo 'SELECT COUNT(*) FROM _;' | divan shell travel"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let session = try QuerySession(arguments.database)
        defer { session.close() }
        guard FileDescriptor.standardInput.isTerminal else {
            return try readLines(session, terminal)
        }
        var shell = QueryShell(session, terminal, isTyped: true)
        terminal.note(
            "Divan \(VersionPage.version), \(session.name). Queries end with a semicolon; see .help"
        )
        let editor = try LineEditor(session)
        let interruption = QueryInterruption(shell.running)
        defer { interruption.end() }
        while true {
            switch editor.read(shell.prompt) {
            case .line(let line):
                if try !shell.take(line) { return }
            case .interrupted: shell.interrupt()
            case .end: return shell.leave()
            }
        }
    }

    /// Processes the lines of a pipe or a file.
    private static func readLines(_ session: QuerySession, _ terminal: Terminal) throws {
        var shell = QueryShell(session, terminal, isTyped: false)
        let lines = ByteLines(try InputFile("-").source)
        while let line = try lines.next() {
            guard try shell.take(String(decoding: line, as: UTF8.self)) else { break }
        }
        try shell.finish()
    }
}

/// Lets Ctrl-C stop the running query, or discard what is typed, and nothing else.
private struct QueryInterruption {
    private let source: any DispatchSourceSignal

    init(_ running: RunningQuery) {
        Signal.interrupt.ignore()
        let queue = DispatchQueue(label: "divan.shell")
        source = DispatchSource.makeSignalSource(signal: Signal.interrupt.rawValue, queue: queue)
        source.setEventHandler {
            if !running.stop() { divan_line_interrupt() }
        }
        // The line editor restores the handler that it found: that must be the source's.
        let isRegistered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isRegistered.signal() }
        source.resume()
        isRegistered.wait()
    }

    func end() {
        source.cancel()
        Signal.interrupt.restoreDefault()
    }
}
