import CouchbaseLiteSwift
import Dispatch
import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanStatus
import DivanStudio

/// `divan studio`.
enum StudioCommand: Command {
    static let syntax = CommandSyntax(
        name: "studio",
        summary: "open a database in the web browser",
        operands: [.database],
        options: [
            .value("--port", "PORT", short: "-p", "the port on 127.0.0.1 (default: any free port)"),
            .flag("--write", "allow changing documents, indexes and conflicts"),
            .json,
        ],
        details: """
            Prints an address for the browser on this machine, and runs until interrupted (Ctrl-C).
            The address contains a token that grants access. The studio shows collections,
            documents, revisions, blobs, conflicts, live changes, queries with their plans, schemas,
            indexes, and running syncs. Each page is also available as .json.

            Without --write, the database is opened read-only, and other programs can write to it.
            With --write, the studio opens it for writing. If another process such as 'divan serve'
            already has it open, that process serves the page.
            """,
        examples: ["divan studio travel", "divan studio travel --write --port 4990"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { arguments.has("--write") }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let port: UInt16 = try arguments.number("--port", in: 0...65_535) ?? 0
        let interruption = Interruption.forVerb()
        let path = arguments.database
        let mayWrite = arguments.has("--write")
        let store = try path.open(forWriting: mayWrite)
        defer { try? store.close() }
        // If another process holds the database, this runs there, and that process has its own holder.
        let isHeldHere = mayWrite && Streams.current.interruption == nil
        let holder = isHeldHere ? Holder(path, as: "divan studio") : nil
        defer { holder?.stop() }
        let statusDirectory = StatusDirectory(bundle: path.bundle)
        let server = StudioServer(
            StudioConfiguration(
                store: store,
                name: path.name,
                port: port,
                mayWrite: mayWrite,
                peers: { ((try? statusDirectory.read()) ?? []).map { .object($0) } },
                neighbours: { RunningDatabases.beside(path) }
            )
        )
        let address = try server.start()
        defer { server.stop() }
        EventLine(terminal).write(
            "listening",
            ["database": .string(path.name), "url": .string(address)],
            sentence: "Open \(address)"
        )
        if !arguments.has("--json") { terminal.note("Press Ctrl-C to stop.") }
        let stopped = DispatchSemaphore(value: 0)
        interruption.onRequest { stopped.signal() }
        stopped.wait()
    }
}
