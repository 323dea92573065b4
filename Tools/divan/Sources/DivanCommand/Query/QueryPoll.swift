import Dispatch
import DivanCommandLine
import DivanQuery

/// Asks again whenever a question's collections have changed: it polls, since they belong to another
/// program.
struct QueryPoll {
    private let session: QuerySession
    private let text: String
    private let first: (sequences: [UInt64], rows: [[QueryValue]])

    /// Records the current state, so that no change is missed while the first rows are printed.
    init(_ session: QuerySession, _ text: String) throws {
        self.session = session
        self.text = text
        let query = try session.query(text)
        first = (try session.marks(of: query), try session.rows(of: query))
    }

    /// Prints the rows whenever they have changed, until Ctrl-C.
    func run(_ format: RowFormat, _ terminal: Terminal) throws {
        let stopped = DispatchSemaphore(value: 0)
        let interruption = Interruption.forVerb()
        interruption.onRequest { stopped.signal() }
        terminal.note("Watching \(session.name); press Ctrl-C to stop.")
        var (seen, rows) = first
        while stopped.wait(timeout: .now() + .milliseconds(200)) == .timedOut {
            try terminal.requireOutput()
            try session.requireFile()
            let query = try session.query(text)
            let now = try session.marks(of: query)
            guard now != seen else { continue }
            seen = now
            let found = try session.rows(of: query)
            guard found != rows else { continue }
            rows = found
            terminal.note("")
            try session.print(query, format, terminal)
        }
    }
}
