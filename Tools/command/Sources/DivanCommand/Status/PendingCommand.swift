import Divan
import DivanCommandLine
import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import DivanWebSocket

/// `divan pending`.
enum PendingCommand: Command {
    static let syntax = CommandSyntax(
        name: "pending",
        summary: "list the documents that a peer has not acknowledged yet, or has refused",
        operands: [.database, .init(name: "URL", isOptional: true)],
        options: [
            .value(
                "--collections",
                "LIST",
                short: "-c",
                isRepeating: true,
                completion: .collection,
                "these only (default: all)"
            ),
            .value("--documents", "LIST", isRepeating: true, "as the sync was given"),
            .value("--channels", "LIST", isRepeating: true, "as the sync was given"),
            .flag("--count", "print how many, not which"),
            .json,
        ] + ServerTrustOptions.all,
        details: """
            Each line: collection/document. Without URL every peer is looked at that DB ever
            replicated with. Deletions count, purged documents do not. How far a sync came is
            remembered for its own --documents and --channels, so give the same ones here.

            What the peer refused is listed behind it with code and reason: it is not pushed again
            before it changes, or with push --retry-refused. --json marks it with "refused". Of a DB
            that has never replicated --json prints one object, whose peer is null.

            Works at any time: nothing is sent, and a running sync is not disturbed. --user and the
            other options of a connection are accepted, so that the line of a sync can be reused; they
            have no effect.
            """,
        examples: [
            "divan pending notes", "divan pending notes wss://jukebox.local:4984/notes --count",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let wanted = try arguments.collectionPaths()
        let given = arguments.operands.dropFirst().first
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        try arguments.database.require(wanted, in: store)
        let paths = wanted.isEmpty ? try store.collections() : wanted
        let known = try store.read { try $0.remotes().map(\.name) }
        let remotes = try given.map { [try WebSocketURL($0).effectiveText] } ?? known
        if given == nil, known.isEmpty { return try tellNever(arguments, paths, store, terminal) }
        let names = paths.map { CollectionName($0) }
        for remote in remotes {
            // A mistyped address is a peer that lacks everything.
            if try store.knownRemoteID(for: remote) == nil {
                terminal.note(
                    "\(arguments.database.name) has never replicated with \(PeerURL.text(remote)); "
                        + "divan pending \(arguments.database.word) lists the peers it has"
                )
            }
            let question = PendingQuestion(
                store: store,
                remote: remote,
                channels: ScopedOption("--channels", arguments, names),
                documents: ScopedOption("--documents", arguments, names)
            )
            let answer = PendingAnswer(
                remote: remote,
                pending: try question.documentIDs(in: paths),
                refused: try question.refusals(in: paths)
            )
            try answer.show(onlyCount: arguments.has("--count"), terminal)
        }
    }

    /// Reports that there is no peer that could lack anything.
    private static func tellNever(
        _ arguments: Arguments,
        _ paths: [CollectionPath],
        _ store: Store,
        _ terminal: Terminal
    ) throws {
        let names = paths.map { CollectionName($0) }
        let question = PendingQuestion(
            store: store,
            remote: "",
            documents: ScopedOption("--documents", arguments, names)
        )
        let count = try question.documentIDs(in: paths).reduce(0) { $0 + $1.documentIDs.count }
        terminal.done(
            "\(arguments.database.name) has never replicated from here; everything is pending, "
                + "except what peers have pulled on their own",
            ["peer": .null, "count": JSON(count), "refused": 0]
        )
    }
}

/// Which documents a peer lacks, whatever the direction of earlier runs.
struct PendingQuestion {
    let store: Store
    let remote: String
    let channels: ScopedOption
    let documents: ScopedOption

    init(
        store: Store,
        remote: String,
        channels: ScopedOption = ScopedOption(),
        documents: ScopedOption = ScopedOption()
    ) {
        self.store = store
        self.remote = remote
        self.channels = channels
        self.documents = documents
    }

    /// The IDs in each collection, in the order of their bytes.
    func documentIDs(
        in paths: [CollectionPath]
    ) throws -> [(name: CollectionName, documentIDs: [DocumentID])] {
        try paths.map { path in
            (CollectionName(path), try documentIDs(in: path).sorted())
        }
    }

    /// What the peer refused and has not changed since, in the same order.
    func refusals(
        in paths: [CollectionPath]
    ) throws -> [(name: CollectionName, refusals: [RefusedDocument])] {
        guard let number = try store.knownRemoteID(for: remote) else { return [] }
        return try paths.map { path in
            let refusals = try store.read { try $0.refusals(in: path, at: number) }
                .sorted { $0.documentID < $1.documentID }
            return (CollectionName(path), refusals.map { RefusedDocument($0) })
        }
    }

    private func documentIDs(in path: CollectionPath) throws -> Set<DocumentID> {
        // `push` and `sync` have separate checkpoints: what either has acknowledged is not pending.
        let answers = try [true, false].map { pulls in
            var collection = PeerConfiguration.CollectionOptions(path)
            collection.channels = channels.list(for: CollectionName(path)) ?? []
            collection.documentIDs = (documents.list(for: CollectionName(path)) ?? []).map {
                DocumentID(unchecked: $0)
            }
            let options = PeerConfiguration.ActiveOptions(
                pushes: true,
                pulls: pulls,
                isContinuous: false,
                collections: [collection],
                remoteIdentity: remote
            )
            let pending = PendingDocuments(store: store, options: options)
            return try pending.documentIDs(in: path) ?? []
        }
        return answers[0].intersection(answers[1])
    }
}

extension RefusedDocument {
    fileprivate init(_ refusal: Refusal) {
        self.init(
            documentID: refusal.documentID,
            revisionID: refusal.revisionID,
            error: SyncError(refusal),
            time: refusal.time
        )
    }
}
