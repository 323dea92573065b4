import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanPlatform
import DivanRevisions

/// `divan watch`.
enum WatchCommand: Command {
    static let syntax = CommandSyntax(
        name: "watch",
        summary: "print changes of documents as they are committed",
        operands: [.database],
        options: [
            .collections("watch only these collections (default: all)").grouped(.filters),
            .value("--since", "SEQUENCE", "start after this sequence instead of now")
                .grouped(.filters),
            .value("--limit", "N", "exit after N changes"),
            .value("--interval", "MS", "milliseconds between polls (default: 200)"),
            .flag("--bodies", "include the documents (with --json)").grouped(.output),
            .json,
        ],
        details: """
            Prints sequence, revision and collection/document of each change, until interrupted
            (Ctrl-C). If a document changes several times between two polls, only its latest state
            is printed. Purges and expirations are not reported. The database is opened read-only,
            so other programs can write to it.
            """,
        examples: ["divan watch travel", "divan watch travel --json | jq .id"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let interval: Int = try arguments.number("--interval", in: 10...60_000) ?? 200
        let limit = try arguments.number("--limit", in: 1...Int.max) ?? Int.max
        let wanted = try arguments.collectionPaths()
        let since: UInt64? = try arguments.number("--since", in: 0...UInt64.max)
        let interruption = Interruption.forVerb()
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        try arguments.database.require(wanted, in: store)
        var feed = try ChangesPoll(store, collections: wanted, since: since, limit: limit)
        let printer = ChangePrinter(terminal, showsBodies: arguments.has("--bodies"))
        printer.begin(arguments.database, feed)
        let stopped = TimedSignal()
        interruption.onRequest { stopped.signal() }
        repeat {
            try terminal.requireOutput()
            try store.requireFile()
            try feed.forEachNew {
                try printer.print($0, in: $1, store)
                try terminal.requireOutput()
            }
        } while feed.rest > 0
            && !stopped.wait(for: .milliseconds(interval))
    }
}

/// Polls the changes feeds of collections, and remembers how far it has come.
struct ChangesPoll {
    private let store: Store
    private let wanted: [CollectionPath]

    /// The last sequence seen in each collection.
    private(set) var sequences: [CollectionPath: UInt64] = [:]
    /// Changes that may still be returned.
    private(set) var rest: Int

    /// Begins after `since`, or after the latest change.
    init(_ store: Store, collections: [CollectionPath], since: UInt64?, limit: Int) throws {
        self.store = store
        wanted = collections
        rest = limit
        sequences = try store.read { try $0.lastSequences() }
            .filter { collections.isEmpty || collections.contains($0.key) }
            .mapValues { since ?? $0 }
    }

    /// Calls `body` with each change since the last poll.
    mutating func forEachNew(_ body: (ChangeRow, CollectionPath) throws -> Void) throws {
        var (sequences, rest) = (sequences, rest)
        try store.read { reader in
            let there = try reader.collections()
            for path in wanted.isEmpty ? there : wanted.filter(there.contains) {
                var last = sequences[path] ?? 0
                while rest > 0 {
                    let limit = min(500, rest)
                    let page = try reader.changes(in: path, after: last, limit: limit)
                    for change in page { try body(change, path) }
                    rest -= page.count
                    guard let change = page.last else { break }
                    last = change.sequence
                }
                sequences[path] = last
            }
        }
        (self.sequences, self.rest) = (sequences, rest)
    }
}

/// Writes changes as lines.
struct ChangePrinter {
    private let terminal: Terminal
    private let events: EventLine
    private let showsBodies: Bool

    init(_ terminal: Terminal, showsBodies: Bool) {
        self.terminal = terminal
        self.showsBodies = showsBodies
        events = EventLine(terminal)
    }

    /// Reports that watching has begun.
    func begin(_ path: DatabasePath, _ feed: ChangesPoll) {
        let sequences = feed.sequences.map { (key: $0.key.wireName, value: JSON($0.value)) }
        events.write(
            "watching",
            ["database": .string(path.name), "sequences": .object(JSONObject(sequences))],
            sentence: "Watching \(path.name); press Ctrl-C to stop."
        )
    }

    func print(_ change: ChangeRow, in collection: CollectionPath, _ store: Store) throws {
        guard terminal.isJSON else {
            let sequence = String(change.sequence)
            let gap = String(repeating: " ", count: max(0, 8 - sequence.count))
            let place = "\(collection.wireName)/\(change.documentID)"
            let end = change.flags.contains(.tombstone) ? "  deleted" : ""
            let line = "\(gap)\(sequence)  \(change.revisionID.description.prefix(12))  \(place)"
            return terminal.result((line + end).escapingControlCharacters())
        }
        var members: JSONObject = [
            "id": .string(change.documentID.text), "collection": .string(collection.wireName),
            "sequence": JSON(change.sequence), "bytes": JSON(change.bodyByteCount),
            "revision": .string(change.revisionID.description),
            "deleted": .bool(change.flags.contains(.tombstone)),
            "conflict": .bool(change.flags.contains(.conflicted)),
        ]
        guard showsBodies, !change.flags.contains(.tombstone),
            let document = try store.read({ try $0.document(change.documentID, in: collection) })
        else { return events.write("change", members) }
        members["event"] = "change"
        members["time"] = .string(Moment.text(Moment.now()))
        try write(members, body: document.body)
    }

    /// Writes a line with a body, which is not parsed: it may be long.
    private func write(_ members: JSONObject, body: [UInt8]) throws {
        let text = try JSONMembers(storedBody: body).canonicalBytes()
        let others = try JSON.object(members).canonicalBytes().dropFirst()
        // The body precedes the other members in canonical order.
        var line = Array("{\"body\":".utf8)
        line.reserveCapacity(line.count + text.count + others.count + 2)
        line += text
        line.append(UInt8(ascii: ","))
        line += others
        line.append(UInt8(ascii: "\n"))
        terminal.result(json: line)
    }
}
