import CDivanLineEditor
import Dispatch
import DivanCommandLine
import DivanJSON
import DivanQuery
import DivanStore
import Glibc
import Synchronization

/// `divan shell`, and `divan DATABASE`.
enum ShellCommand: Command {
    static let syntax = CommandSyntax(
        name: "shell",
        aliases: ["open"],
        summary: "ask a database again and again; divan DATABASE does the same",
        operands: [.database],
        details: """
            A question ends with a semicolon and may have several lines. The arrow keys bring back
            what was typed, the tabulator key completes words. Lines that begin with a dot are for
            the shell: .help lists them. The database is only read. Ctrl-C stops a question,
            Ctrl-D ends the shell.
            """,
        examples: ["divan travel", "echo 'SELECT COUNT(*) FROM _;' | divan shell travel"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let session = try QuerySession(arguments.database)
        defer { try? session.store.close() }
        var shell = QueryShell(session, terminal)
        guard isatty(STDIN_FILENO) == 1 else {
            while let line = readLine(), try shell.take(line) {}
            try shell.finish()
            return
        }
        terminal.note(
            "Divan \(Program.version), \(session.name). A question ends with a semicolon; .help"
        )
        let history = LineHistory()
        try LineHistory.complete(session)
        let interruption = QueryInterruption(shell.running)
        defer { interruption.end() }
        while let line = history.read(shell.prompt) {
            if try !shell.take(line) { return }
        }
        terminal.note("")
    }
}

/// The question that runs, so that Ctrl-C stops it.
final class RunningQuery: Sendable {
    private let watch = Mutex<QueryWatch?>(nil)

    /// A watch for the next question.
    func begin() -> QueryWatch {
        let made = QueryWatch()
        watch.withLock { $0 = made }
        return made
    }

    func stop() { watch.withLock { $0 }?.cancel() }
}

/// Lets Ctrl-C stop the running question and nothing else.
private struct QueryInterruption {
    private let source: any DispatchSourceSignal

    init(_ running: RunningQuery) {
        signal(SIGINT, SIG_IGN)
        let queue = DispatchQueue(label: "divan.shell")
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
        source.setEventHandler { running.stop() }
        // The line editor puts back the handler that it found: that must be the source's.
        let isRegistered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isRegistered.signal() }
        source.resume()
        isRegistered.wait()
    }

    func end() {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }
}

/// The line editor, with what was typed in earlier times.
private final class LineHistory {
    /// Lines that are kept for the next time.
    private static let lineCount: Int32 = 1_000

    private let path: String?

    init() {
        path = getenv("HOME").map { String(cString: $0) + "/.divan_history" }
        if let path { divan_line_load(path) }
    }

    deinit {
        if let path { _ = divan_line_save(path, Self.lineCount) }
    }

    /// A line, or `nil` at the end.
    func read(_ prompt: String) -> String? {
        guard let typed = divan_line_read(prompt) else { return nil }
        defer { free(typed) }
        let line = String(cString: typed)
        if !line.isEmpty { divan_line_remember(line) }
        return line
    }

    /// Lets the tabulator key know the language, the collections, and properties of the first
    /// documents of each.
    static func complete(_ session: QuerySession) throws {
        var words = Set(QueryWords.all + QueryShell.commands.map(\.name))
        try session.store.read { reader in
            for path in try reader.collections() {
                words.insert(path.wireName)
                let ids = try reader.documentIDs(in: path, after: nil, limit: 20)
                for id in ids {
                    let body = try reader.document(id, in: path).map { try JSON(parsing: $0.body) }
                    for key in body?.object?.keys ?? [] { words.insert(key) }
                }
            }
        }
        let copies = words.sorted().map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        divan_line_set_words(copies.map { UnsafePointer($0) }, copies.count)
    }
}
