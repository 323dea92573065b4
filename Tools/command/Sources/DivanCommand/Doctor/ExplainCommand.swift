import DivanCommandLine
import DivanReplicator
import DivanRevisions
import DivanStore
import Foundation

/// `divan explain`.
enum ExplainCommand: Command {
    static let syntax = CommandSyntax(
        name: "explain",
        summary: "tell why a document is here, gone, in conflict, not pushed, or refused",
        operands: [.database, .document],
        options: [.collection, .json],
        details: """
            Looks at one document: its current revision, when it expires, its conflict, its blobs,
            and for each peer that DB ever synced with whether that has the current revision, lacks
            it, or refused it, with the reason. Nothing is sent. With --json each line is an object.

            A document that is not here at all was never here, or was purged: a purge (divan purge,
            an expiry, the loss of access at the server) leaves no trace, unlike a deletion.
            """,
        examples: ["divan explain notes monday", "divan explain travel rome -c geo.places"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = try arguments.collectionPath()
        let documentID = arguments.documentID(at: 1)
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let explanation = Explanation(store: store, path: path, documentID: documentID)
        guard let findings = try explanation.findings() else {
            let places = try explanation.otherPlaces().map(\.wireName)
            var failure = Failure.noDocument(documentID.text, in: path.wireName)
            failure.sentence +=
                places.isEmpty
                ? "; it was never here, or purged: by hand, by its expiry, or as the user lost "
                    + "access to it; a purge leaves no trace"
                : "; there is one in \(places.joined(separator: ", ")): -c \(places[0])"
            throw failure
        }
        for finding in findings { finding.show(terminal) }
    }
}

/// What is known about one document.
struct Explanation {
    let store: Store
    let path: CollectionPath
    let documentID: DocumentID

    /// A line for each relevant fact; `nil` if there is no such document.
    func findings() throws -> [Finding]? {
        let stored = try store.read { reader in
            try reader.document(documentID, in: path, includingTombstones: true)
        }
        guard let stored else { return nil }
        var findings = [state(stored)]
        let timeAhead = try store.timeAhead(of: documentID, in: path)
        if let timeAhead { findings.append(try clock(timeAhead)) }
        if let expiry = try expiry() { findings.append(expiry) }
        let conflict = try store.read { try $0.conflict(of: documentID, in: path) }
        if let conflict { findings.append(self.conflict(conflict)) }
        findings += try blobs(stored)
        let remotes = try store.read { try $0.remotes() }
        if remotes.isEmpty {
            let visits = try store.read { try Self.visits(in: $0) }
            findings.append(.ok("peers", visits ?? "never synced with anybody"))
        }
        for remote in remotes {
            findings.append(
                try standing(
                    stored,
                    at: remote,
                    isInConflict: conflict != nil,
                    isAhead: timeAhead != nil
                )
            )
        }
        return findings
    }

    /// What is known of peers that connected by themselves, as only they know what they have; `nil` if none did.
    static func visits(in reader: StoreReader) throws -> String? {
        let count = try reader.peerCheckpoints().count
        guard count > 0 else { return nil }
        return "never synced from here; peers that came keep \(Numbers.count(count, "checkpoint")) "
            + "here: divan explain and pending there say what they have"
    }

    /// Other collections with a document of this ID.
    func otherPlaces() throws -> [CollectionPath] {
        try store.read { reader in
            try reader.collections().filter { other in
                try other != path && reader.document(documentID, in: other) != nil
            }
        }
    }

    private func state(_ stored: StoredDocument) -> Finding {
        let revision = "revision \(stored.revisionID), change \(stored.sequence)"
        guard !stored.isTombstone else {
            let seen = "deleted: \(revision); the deletion is kept and passed on to peers"
            return .ok("document", seen)
        }
        let size = Numbers.bytes(stored.body.count)
        guard stored.body.count <= StoreLimits.syncedBodyByteCount else {
            return .warning(
                "document",
                "here: \(revision), \(size): larger than the 20 MiB that sync",
                "move its bulk into blobs"
            )
        }
        return .ok("document", "here: \(revision), \(size)")
    }

    private static let clockRemedy =
        "set the clock if it is wrong: timedatectl; then: divan repair-clock DB"

    /// Its version, or one that it follows, was written by a clock that was ahead.
    private func clock(_ time: UInt64) throws -> Finding {
        let wall = UInt64(clamping: Moment.now()) * 1_000_000
        let span = ClockText.span(time - min(time, wall))
        return .warning(
            "clock",
            "its version is \(span) ahead of this machine's clock: peers refuse it until "
                + ClockText.moment(time),
            Self.clockRemedy
        )
    }

    private func expiry() throws -> Finding? {
        guard let time = try store.read({ try $0.expiration(of: documentID, in: path) }) else {
            return nil
        }
        let date = Date(timeIntervalSince1970: Double(time) / 1_000)
        let moment = Days.moment(date)
        guard time > Moment.now() else {
            return .ok(
                "expiry",
                "was due on \(moment): who opens the database to write purges it; stays at peers"
            )
        }
        return .ok("expiry", "is purged here on \(moment), and stays at peers")
    }

    private func conflict(_ conflict: StoredConflict) -> Finding {
        let sides = [conflict.local, conflict.remote].map { side in
            "\(side.revisionID)" + (side.isTombstone ? " (deleted)" : "")
        }
        return .warning(
            "conflict",
            "ours \(sides[0]), theirs \(sides[1]); not pushed before it is decided",
            "divan conflicts show, then divan conflicts resolve"
        )
    }

    private func blobs(_ stored: StoredDocument) throws -> [Finding] {
        guard stored.mayNameBlobs else { return [] }
        return try BlobReferences.digests(in: stored.body).sorted {
            $0.description < $1.description
        }.map { digest in
            if let count = store.blobs.byteCount(digest) {
                return .ok("blob", "\(digest) is here, \(Numbers.bytes(count))")
            }
            guard try store.read({ try $0.absentBlob(digest) }) != nil else {
                let remedy = "divan check --repair-from URL"
                return .warning("blob", "\(digest) is missing", remedy)
            }
            return .ok("blob", "\(digest) was left at the peer; peers that pull from here lack it")
        }
    }

    private func standing(
        _ stored: StoredDocument,
        at remote: StoredRemote,
        isInConflict: Bool,
        isAhead: Bool
    ) throws -> Finding {
        let place = PeerURL.text(remote.name)
        let change = try store.read { reader in
            try reader.changes(in: path, after: stored.sequence - 1, limit: 1, remote: remote.id)
        }.first
        if let change, change.documentID == documentID, change.remoteAncestor == stored.revisionID {
            return .ok("peer", "\(place): level, it has \(stored.revisionID)")
        }
        let refusals = try store.read { try $0.refusals(in: path, at: remote.id) }
        if let refusal = refusals.first(where: { $0.documentID == documentID }) {
            return refused(refusal, at: place)
        }
        let known = change?.remoteAncestor.map { "it has \($0)" } ?? "it has nothing of it"
        guard !isInConflict else {
            return .warning("peer", "\(place): waits for the conflict; \(known)", "resolve it")
        }
        let question = PendingQuestion(store: store, remote: remote.name)
        let pending = try question.documentIDs(in: [path]).flatMap(\.documentIDs)
        if pending.contains(documentID), isAhead {
            let seen = "\(place): not pushed yet, as its version is from the future; \(known)"
            return .warning("peer", seen, Self.clockRemedy)
        }
        if pending.contains(documentID) {
            let seen = "\(place): not pushed yet; \(known)"
            return .warning("peer", seen, "divan push; a push filter of that sync may hold it back")
        }
        return .warning(
            "peer",
            "\(place): not to be pushed, because of a filter or a newer revision there; \(known)",
            "divan sync, which receives what is newer; divan push --reset offers everything again"
        )
    }

    private func refused(_ refusal: Refusal, at place: String) -> Finding {
        let error = SyncError(refusal)
        let date = Days.moment(Date(timeIntervalSince1970: Double(refusal.time)))
        return .warning(
            "peer",
            "\(place): refused \(refusal.revisionID) with \(error.domain) \(error.code) "
                + "“\(refusal.message)” on \(date)",
            "change the document, or divan push --retry-refused once the peer takes it"
        )
    }
}
