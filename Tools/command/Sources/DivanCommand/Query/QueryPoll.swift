import DivanCommandLine
import DivanPlatform
import DivanQuery

/// Runs a query again whenever its collections have changed, and when a document in them expires.
///
/// It polls, since they belong to another program.
struct QueryPoll {
    private let session: QuerySession
    private let text: String
    private let first: (marks: [UInt64], end: Int64?, rows: [[QueryValue]])
    private let interruption: Interruption

    /// Records the current state, so that no change is missed while the first rows are printed, and begins to handle
    /// Ctrl-C.
    init(_ session: QuerySession, _ text: String) throws {
        self.session = session
        self.text = text
        let moment = Moment.now()
        let query = try session.query(text)
        first = (
            try session.marks(of: query), try session.nextEnd(of: query, after: moment),
            try session.rows(of: query)
        )
        interruption = Interruption.forVerb()
    }

    /// Prints the rows whenever they have changed, until Ctrl-C.
    func run(_ format: RowFormat, _ terminal: Terminal) throws {
        let stopped = TimedSignal()
        interruption.onRequest { stopped.signal() }
        terminal.note("Watching \(session.name); press Ctrl-C to stop.")
        var (seen, end, rows) = first
        while !stopped.wait(for: .milliseconds(200)) {
            try terminal.requireOutput()
            try session.requireFile()
            // Before the query is restricted to what has not expired.
            let moment = Moment.now()
            let query = try session.query(text)
            let now = try session.marks(of: query)
            guard now != seen || end.map({ $0 <= moment }) ?? false else { continue }
            seen = now
            end = try session.nextEnd(of: query, after: moment)
            let found = try session.rows(of: query)
            guard found != rows else { continue }
            rows = found
            terminal.note("")
            try session.print(query, format, terminal)
        }
    }
}
