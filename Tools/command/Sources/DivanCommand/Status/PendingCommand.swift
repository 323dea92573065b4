import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanWebSocket

/// `divan pending`.
enum PendingCommand: Command {
    static let syntax = CommandSyntax(
        name: "pending",
        summary: "list documents that are not synced yet, or could not be",
        operands: [.database, .init(name: "URL", isOptional: true)],
        options: filters.grouped(.filters) + output.grouped(.output) + ServerTrustOptions.all,
        details: """
            Prints collection/document for each document, including deleted ones. Without URL, lists
            the documents for every peer that DB has replicated with. Use the --documents and
            --channels of the sync, because its checkpoint depends on them.

            Documents that the peer refused follow, with the error code and reason. They are not
            pushed again until they change, or until you run 'divan push --retry-refused'. Documents
            that could not be pulled come last. Each run asks a Divan peer for them again; with other
            peers, run 'divan pull --retry-refused'.

            Nothing is sent. The connection and authentication options have no effect; they are
            accepted so that you can repeat the arguments of a sync.
            """,
        examples: [
            "divan pending notes", "divan pending notes wss://jukebox.local:4984/notes --count",
        ]
    )

    private static let filters: [CommandSyntax.Option] = [
        .collections("list only these collections (default: all)"),
        .value("--documents", "LIST", isRepeating: true, "the --documents of the sync"),
        .value("--channels", "LIST", isRepeating: true, "the --channels of the sync"),
    ]

    private static let output: [CommandSyntax.Option] = [
        .flag("--count", "print only the number of documents"), .json,
    ]

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let wanted = try arguments.collectionPaths()
        let given = arguments.operands.dropFirst().first
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        try arguments.database.require(wanted, in: store)
        let paths = wanted.isEmpty ? try store.collections() : wanted
        let known = try store.read { try $0.remotes().map(\.name) }
        let remotes = try given.map { [try WebSocketURL($0).effectiveText] } ?? known
        if given == nil, known.isEmpty {
            return try reportNoPeers(arguments, paths, store, terminal)
        }
        let names = paths.map { CollectionName($0) }
        for remote in remotes {
            // For a mistyped URL, all documents would be pending.
            if try store.knownRemoteID(for: remote) == nil {
                terminal.note(
                    "\(arguments.database.name) has never replicated with \(PeerURL.text(remote)); "
                        + "run 'divan pending \(arguments.database.word)' for its other peers"
                )
            }
            let question = PendingLookup(
                store: store,
                remote: remote,
                channels: ScopedOption("--channels", arguments, names),
                documents: ScopedOption("--documents", arguments, names)
            )
            let answer = PendingReport(
                remote: remote,
                pending: try question.documentIDs(in: paths),
                refused: try question.refusals(in: paths),
                notPulled: try question.failedPulls(in: paths)
            )
            try answer.show(onlyCount: arguments.has("--count"), terminal)
        }
    }

    /// Reports that the database has no peers.
    private static func reportNoPeers(
        _ arguments: Arguments,
        _ paths: [CollectionPath],
        _ store: Store,
        _ terminal: Terminal
    ) throws {
        let names = paths.map { CollectionName($0) }
        let question = PendingLookup(
            store: store,
            remote: "",
            documents: ScopedOption("--documents", arguments, names)
        )
        let count = try question.documentIDs(in: paths).reduce(0) { $0 + $1.documentIDs.count }
        terminal.done(
            "\(arguments.database.name) has never replicated with a server; all documents are "
                + "pending, except those that peers have pulled",
            ["peer": .null, "count": JSON(count), "refused": 0, "notPulled": 0]
        )
    }
}

/// Finds the documents that a peer does not have, regardless of the direction of earlier runs.
struct PendingLookup {
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

    /// The documents that the peer refused and that have not changed since, in the same order.
    func refusals(
        in paths: [CollectionPath]
    ) throws -> [(name: CollectionName, refusals: [RefusedDocument])] {
        try recorded(in: paths) { try $0.refusals(in: $1, at: $2) }
    }

    /// The documents that could not be pulled from the peer, in the same order.
    func failedPulls(
        in paths: [CollectionPath]
    ) throws -> [(name: CollectionName, refusals: [RefusedDocument])] {
        try recorded(in: paths) { try $0.failedPulls(in: $1, from: $2) }
    }

    private func recorded(
        in paths: [CollectionPath],
        _ list: (StoreReader, CollectionPath, RemoteID) throws -> [Refusal]
    ) throws -> [(name: CollectionName, refusals: [RefusedDocument])] {
        guard let number = try store.knownRemoteID(for: remote) else { return [] }
        return try paths.map { path in
            let found = try store.read { try list($0, path, number) }
                .sorted { $0.documentID < $1.documentID }
            return (CollectionName(path), found.map { RefusedDocument($0) })
        }
    }

    private func documentIDs(in path: CollectionPath) throws -> Set<DocumentID> {
        // `push` and `sync` have separate checkpoints: documents before either are not pending.
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
