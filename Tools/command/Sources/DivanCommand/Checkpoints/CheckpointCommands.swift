import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanReplicator
import DivanStatus
import DivanWebSocket

/// `divan checkpoints show`.
enum CheckpointShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "checkpoints show",
        summary: "show the sync checkpoints of a database",
        operands: [.database, .init(name: "URL", isOptional: true)],
        options: ServerTrustOptions.all + [.json],
        details: """
            A sync stores its progress as a checkpoint on both sides, and the next sync continues
            from there. If the two checkpoints differ, it continues from the last point that both
            contain.

            Without URL, shows all checkpoints of DB, including those that other peers store in it.
            With URL, also asks the peer for its checkpoints, with the options of a sync.
            """,
        examples: [
            "divan checkpoints show notes",
            "divan checkpoints show notes wss://jukebox.local:4984/notes --pin jukebox.pem",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let book = try StoredCheckpoints(store)
        if let text = arguments.operands.dropFirst().first {
            let comparison = try CheckpointComparison(store, book, try WebSocketURL(text))
            let answers = try comparison.ask(arguments, terminal, forgets: false)
            return show(comparison, answers, terminal)
        }
        for entry in book.entries {
            guard terminal.isJSON else {
                let peer = entry.remote.map { PeerURL.text($0) } ?? entry.id
                let line = "\(peer)  \(entry.owner): \(entry.checkpoint.sentence)"
                terminal.result(line.escapingControlCharacters())
                continue
            }
            terminal.result(JSON.object(entry.json).canonicalText)
        }
        for (id, kept) in book.kept {
            let checkpoint = Checkpoint(json: kept.body)
            guard terminal.isJSON else {
                terminal.result("stored for a peer, \(id): \(checkpoint.sentence)")
                continue
            }
            var object = checkpoint.members
            object["checkpoint"] = .string(id)
            object["keptForPeer"] = .bool(true)
            object["revision"] = .string(kept.revision)
            terminal.result(JSON.object(object).canonicalText)
        }
        if book.entries.isEmpty, book.kept.isEmpty { terminal.note("No checkpoints") }
    }

    private static func show(
        _ comparison: CheckpointComparison,
        _ answers: [RemoteCheckpoints.Answer],
        _ terminal: Terminal
    ) {
        for (place, answer) in zip(comparison.places, answers) {
            var object: JSONObject = [
                "collection": .string(place.path.wireName), "checkpoint": .string(place.id),
                "local": place.local.map { .object($0.members) } ?? .null,
            ]
            let theirs: String
            switch answer {
            case .noCollection:
                theirs = "does not share the collection"
                object["remote"] = .null
            case .nothing:
                theirs = "none"
                object["remote"] = .null
            case .checkpoint(let body, let revision):
                let checkpoint = Checkpoint(json: body)
                theirs = checkpoint.sentence
                object["remote"] = .object(checkpoint.members)
                object["revision"] = .string(revision)
            }
            let ours = place.local?.sentence ?? "none"
            object["agree"] = .bool(ours == theirs)
            guard !terminal.isJSON else {
                terminal.result(JSON.object(object).canonicalText)
                continue
            }
            terminal.result(place.path.wireName)
            terminal.result("  local   \(ours)")
            terminal.result("  remote  \(theirs)\(ours == theirs ? "" : "  (differs)")")
        }
    }
}

/// `divan checkpoints reset`.
enum CheckpointResetCommand: Command {
    static let syntax = CommandSyntax(
        name: "checkpoints reset",
        summary: "reset sync checkpoints, to compare all documents again",
        operands: [.database, .init(name: "URL", isOptional: true)],
        options: [
            .flag("--all", "reset the checkpoints of all peers"),
            .flag("--kept", "also delete the checkpoints that peers store in DB"),
            .flag("--remote", "also reset the checkpoints on the peer"),
            .dryRun,
        ] + ServerTrustOptions.all,
        details: """
            No document is lost, and documents that both sides have are not sent again. The next
            sync takes as long as the first one between two equal databases. 'divan sync --reset'
            does the same for one run. Fails while a sync with that peer is running, because it
            would write its checkpoint again.
            """,
        examples: [
            "divan checkpoints reset notes wss://jukebox.local:4984/notes",
            "divan checkpoints reset notes --all --kept",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool {
        !arguments.has("--dry-run") && !arguments.has("--remote")
    }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let text = arguments.operands.dropFirst().first
        guard text != nil || arguments.has("--all") || arguments.has("--kept") else {
            throw Failure.usage("divan checkpoints reset: give a URL, '--all' or '--kept'")
        }
        guard text != nil || !arguments.has("--remote") else {
            throw Failure.usage("'--remote' requires the URL of the peer")
        }
        let url = try text.map { try WebSocketURL($0) }
        try refuseBesideSyncs(arguments, url)
        // The peer is asked by this process, where the password is typed.
        let remoteCount = try url.map { try resetRemoteCheckpoints(arguments, $0, terminal) } ?? 0
        let count = try remoteCount + resetLocalCheckpoints(arguments, url, terminal)
        let forgotten = Numbers.count(count, "checkpoint")
        let members: JSONObject = ["forgot": JSON(count)]
        if arguments.has("--dry-run") { return terminal.rehearsed("reset \(forgotten)", members) }
        terminal.done("Reset \(forgotten)", members)
    }

    /// Makes the peer forget its copies, if requested; returns how many.
    private static func resetRemoteCheckpoints(
        _ arguments: Arguments,
        _ url: WebSocketURL,
        _ terminal: Terminal
    ) throws -> Int {
        guard arguments.has("--remote") else { return 0 }
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let comparison = try CheckpointComparison(store, try StoredCheckpoints(store), url)
        let forgets = !arguments.has("--dry-run")
        let answers = try comparison.ask(arguments, terminal, forgets: forgets)
        return answers.count { $0 != .nothing && $0 != .noCollection }
    }

    /// Deletes those in the database, or has the process that holds it do so; returns how many.
    private static func resetLocalCheckpoints(
        _ arguments: Arguments,
        _ url: WebSocketURL?,
        _ terminal: Terminal
    ) throws -> Int {
        let isDry = arguments.has("--dry-run")
        if !isDry, arguments.has("--remote"), let holder = HolderClient.find(arguments.database) {
            return try forget(arguments, through: holder)
        }
        let store = try arguments.database.open(forWriting: !isDry)
        defer { try? store.close() }
        let book = try StoredCheckpoints(store)
        var count = 0
        for entry in book.entries
        where arguments.has("--all") || (url != nil && entry.remote == url?.effectiveText) {
            if !isDry { try store.removeLocalCheckpoint(entry.id) }
            count += 1
        }
        if arguments.has("--kept") {
            if !isDry { for (id, _) in book.kept { try store.removePeerCheckpoint(id) } }
            count += book.kept.count
        }
        return count
    }

    private static func forget(_ arguments: Arguments, through holder: HolderClient) throws -> Int {
        var words = ["checkpoints", "reset", "--json"]
        words += ["--all", "--kept"].filter { arguments.has($0) }
        let answer = try holder.answer(
            to: words + ["--"] + arguments.operands,
            or: "the checkpoints on the peer were reset, but not those in \(arguments.operands[0])"
        )
        return Int(try JSON(parsing: answer).object?["forgot"]?.int ?? 0)
    }

    /// Refuses while a sync with the peer runs: it would write its checkpoint again.
    private static func refuseBesideSyncs(_ arguments: Arguments, _ url: WebSocketURL?) throws {
        guard !arguments.has("--dry-run") else { return }
        for status in try StatusDirectory(bundle: arguments.database.bundle).read() {
            guard let verb = status["verb"]?.string, let text = status["url"]?.string else {
                continue
            }
            let remote = try? WebSocketURL(text).effectiveText
            guard arguments.has("--all") || url != nil && remote == url?.effectiveText else {
                continue
            }
            let program = status["program"]?.string ?? "divan"
            throw Failure(
                kind: .database,
                sentence: "\(program) \(verb) (process \(status["pid"]?.count ?? 0)) is syncing "
                    + "with \(PeerURL.text(text)), and would write its checkpoint again",
                hint: "stop it first, or use 'divan sync --reset'"
            )
        }
    }
}

/// Our checkpoints with one peer, by collection, and the request for its copies.
struct CheckpointComparison {
    /// One collection.
    struct Place {
        let path: CollectionPath
        let id: String
        let local: Checkpoint?
    }

    let places: [Place]
    private let url: WebSocketURL

    /// Finds the checkpoints that exist; a collection without any counts as one of `sync`.
    init(_ store: Store, _ book: StoredCheckpoints, _ url: WebSocketURL) throws {
        self.url = url
        places = try store.collections().flatMap { path -> [Place] in
            let own = book.entries.filter {
                $0.remote == url.effectiveText && $0.collection == path
            }
            guard own.isEmpty else {
                return own.map { Place(path: path, id: $0.id, local: $0.checkpoint) }
            }
            let id = StoredCheckpoints.id(store, url.effectiveText, path, verb: "sync")
            return [Place(path: path, id: id, local: nil)]
        }
    }

    /// Asks the peer, once for each set of names that fits into one request.
    func ask(
        _ arguments: Arguments,
        _ terminal: Terminal,
        forgets: Bool
    ) throws -> [RemoteCheckpoints.Answer] {
        var answers: [Int: RemoteCheckpoints.Answer] = [:]
        var rest = Array(places.indices)
        while !rest.isEmpty {
            // A request names each collection once.
            var seen: Set<CollectionPath> = []
            let round = rest.filter { seen.insert(places[$0].path).inserted }
            rest.removeAll { round.contains($0) }
            let transport = try PeerTransport.make(to: url, arguments, terminal)
            let found = try RemoteCheckpoints.ask(
                round.map { (collection: CollectionName(places[$0].path), id: places[$0].id) },
                over: transport,
                forgets: forgets
            )
            for (index, answer) in zip(round, found) { answers[index] = answer }
        }
        return places.indices.map { answers[$0] ?? .nothing }
    }
}
