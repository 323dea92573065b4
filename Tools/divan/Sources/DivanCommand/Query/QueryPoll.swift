import Dispatch
import DivanCommandLine
import DivanQuery
import DivanStore

/// Asks again whenever the collections of a question have changed, for they belong to another
/// program.
struct QueryPoll {
    private let session: QuerySession
    private let text: String
    private let first: (sequences: [UInt64], rows: [[QueryValue]])

    /// Notes how things are, so that no change is missed that comes while the first rows are printed.
    init(_ session: QuerySession, _ text: String) throws {
        self.session = session
        self.text = text
        first = (try Self.sequences(session, text), try Self.rows(session, text))
    }

    /// Prints the rows whenever they are others, until Ctrl-C.
    func run(_ format: RowFormat, _ terminal: Terminal) throws {
        let stopped = DispatchSemaphore(value: 0)
        let interruption = Interruption.forVerb()
        interruption.onRequest { stopped.signal() }
        terminal.note("Watching \(session.name); press Ctrl-C to stop.")
        var (seen, rows) = first
        while stopped.wait(timeout: .now() + .milliseconds(200)) == .timedOut {
            try terminal.requireOutput()
            let now = try Self.sequences(session, text)
            guard now != seen else { continue }
            seen = now
            let found = try Self.rows(session, text)
            guard found != rows else { continue }
            rows = found
            terminal.note("")
            try session.print(session.query(text), format, terminal)
        }
    }

    private static func sequences(_ session: QuerySession, _ text: String) throws -> [UInt64] {
        let collections = try session.query(text).statement.everyCollection
        return try session.store.read { reader in
            try collections.compactMap { CollectionPath($0) }.flatMap { path in
                // A purge leaves no sequence, but it changes the count.
                [try reader.lastSequence(in: path), UInt64(try reader.count(in: path))]
            }
        }
    }

    private static func rows(_ session: QuerySession, _ text: String) throws -> [[QueryValue]] {
        let found = try session.store.rows(of: session.query(text))
        defer { found.end() }
        var rows: [[QueryValue]] = []
        while let row = try found.next() { rows.append(row) }
        return rows
    }
}
