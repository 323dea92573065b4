import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanStatus
import Foundation

/// `divan explain`.
enum ExplainCommand: Command {
    static let syntax = CommandSyntax(
        name: "explain",
        summary: "show the sync status of a document and the reasons for it",
        operands: [.database, .document],
        options: [.collection, .json],
        details: """
            Shows the current revision of a document, its expiration, conflict and blobs. For each
            peer that DB has synced with, it shows whether the peer has that revision, or why the
            peer refused it. Nothing is sent.

            If the document is not found, it never existed or was purged ('divan purge', expiration,
            or access lost on the server). Unlike a deletion, a purge leaves no trace.
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
            failure.hint =
                places.isEmpty
                ? "it never existed, or was purged; a purge leaves no trace"
                : "a document with this ID is in \(places.joined(separator: ", ")); use '-c "
                    + "\(places[0])'"
            throw failure
        }
        for finding in findings { finding.show(terminal) }
    }
}

/// Finds what is known about a document.
struct Explanation {
    let store: Store
    let path: CollectionPath
    let documentID: DocumentID

    /// A line for each relevant fact; `nil` if the document does not exist.
    func findings() throws -> [Finding]? {
        let stored = try store.read { reader in
            try reader.document(documentID, in: path, includingTombstones: true)
        }
        let remotes = try store.read { try $0.remotes() }
        let failedPulls = try remotes.compactMap { try failedPull(from: $0) }
        guard let stored else { return failedPulls.isEmpty ? nil : failedPulls }
        var findings = [state(stored)]
        let timeAhead = try store.timeAhead(of: documentID, in: path)
        if let timeAhead { findings.append(try clock(timeAhead)) }
        if let expiry = try expiry() { findings.append(expiry) }
        let conflict = try store.read { try $0.conflict(of: documentID, in: path) }
        if let conflict { findings.append(self.conflict(conflict)) }
        findings += try blobs(stored)
        if remotes.isEmpty {
            let visits = try store.read { try Self.visits(in: $0) }
            findings.append(.ok("peers", visits ?? "never synced"))
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
        return findings + failedPulls
    }

    /// The finding for a revision at a peer that could not be pulled.
    private func failedPull(from remote: StoredRemote) throws -> Finding? {
        let failures = try store.read { try $0.failedPulls(in: path, from: remote.id) }
        guard let failure = failures.first(where: { $0.documentID == documentID }) else {
            return nil
        }
        let error = SyncError(failure)
        let date = Days.moment(Date(timeIntervalSince1970: Double(failure.time)))
        return .warning(
            "peer",
            "\(PeerURL.text(remote.name)): \(failure.revisionID) could not be pulled on \(date), "
                + "\(error.domain) \(error.code) “\(failure.message)”",
            "correct the cause, then run 'divan pull --retry-refused'"
        )
    }

    /// A sentence about peers that connected to this database, `nil` if none did; only they know what they have.
    static func visits(in reader: StoreReader) throws -> String? {
        let count = try reader.peerCheckpoints().count
        guard count > 0 else { return nil }
        return "never synced as a client; connecting peers have "
            + "\(Numbers.count(count, "checkpoint")) (run 'divan explain' or 'divan pending' on "
            + "those peers)"
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
        let revision = "revision \(stored.revisionID), sequence \(stored.sequence)"
        guard !stored.isTombstone else {
            return .ok("document", "deleted: \(revision)")
        }
        let size = Numbers.bytes(stored.body.count)
        guard stored.body.count <= StoreLimits.syncedBodyByteCount else {
            return .warning(
                "document",
                "exists: \(revision), \(size); too large to sync (limit: 20 MiB)",
                "move large content into blobs"
            )
        }
        return .ok("document", "exists: \(revision), \(size)")
    }

    private static let clockRemedy =
        "correct the clock if it is wrong ('timedatectl'), then run 'divan repair-clock DB'"

    /// The finding for a version, or an ancestor, from a clock that was ahead.
    private func clock(_ time: UInt64) throws -> Finding {
        let wall = UInt64(clamping: Moment.now()) * 1_000_000
        let span = ClockText.span(time - min(time, wall))
        return .warning(
            "clock",
            "the version is \(span) ahead of this machine's clock; peers refuse it until "
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
                "expired on \(moment); it will be purged when the database is opened for writing, "
                    + "but not from peers"
            )
        }
        return .ok("expiry", "will be purged on \(moment), but not from peers")
    }

    private func conflict(_ conflict: StoredConflict) -> Finding {
        let sides = [conflict.local, conflict.remote].map { side in
            "\(side.revisionID)" + (side.isTombstone ? " (deleted)" : "")
        }
        return .warning(
            "conflict",
            "local \(sides[0]), remote \(sides[1]); not pushed until resolved",
            "run 'divan conflicts show' and 'divan conflicts resolve'"
        )
    }

    private func blobs(_ stored: StoredDocument) throws -> [Finding] {
        guard stored.mayNameBlobs else { return [] }
        return try BlobReferences.digests(in: stored.body).sorted {
            $0.description < $1.description
        }.map { digest in
            if let count = store.blobs.byteCount(digest) {
                return .ok("blob", "\(digest) exists, \(Numbers.bytes(count))")
            }
            guard try store.read({ try $0.absentBlob(digest) }) != nil else {
                let remedy = "run 'divan check --repair-from URL'"
                return .warning("blob", "\(digest) is missing", remedy)
            }
            return .ok("blob", "\(digest) is not downloaded yet ('divan blob fetch')")
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
            return .ok("peer", "\(place): in sync, the peer has \(stored.revisionID)")
        }
        let refusals = try store.read { try $0.refusals(in: path, at: remote.id) }
        if let refusal = refusals.first(where: { $0.documentID == documentID }) {
            return refused(refusal, at: place)
        }
        let known =
            change?.remoteAncestor.map { "the peer has \($0)" } ?? "the peer does not have it"
        guard !isInConflict else {
            let seen = "\(place): not pushed because of the conflict; \(known)"
            return .warning("peer", seen, "resolve the conflict")
        }
        let question = PendingLookup(store: store, remote: remote.name)
        let pending = try question.documentIDs(in: [path]).flatMap(\.documentIDs)
        if pending.contains(documentID), isAhead {
            let seen = "\(place): not pushed yet, its version is in the future; \(known)"
            return .warning("peer", seen, Self.clockRemedy)
        }
        if pending.contains(documentID) {
            if let error = runningError(at: place) {
                return .warning(
                    "peer",
                    "\(place): not pushed yet; \(known)",
                    "the running sync reports: \(error)"
                )
            }
            return .warning(
                "peer",
                "\(place): not pushed yet; \(known)",
                "run 'divan push'; a push filter may exclude it, or the peer accepts no changes from "
                    + "your user"
            )
        }
        return .warning(
            "peer",
            "\(place): not pushed because of a filter or a newer revision on the peer; \(known)",
            "run 'divan sync' to pull newer revisions, or 'divan push --reset' to offer all again"
        )
    }

    /// The error of a replication with a peer that is running on this machine.
    private func runningError(at place: String) -> String? {
        guard let bundle = store.directory else { return nil }
        let running = (try? StatusDirectory(bundle: bundle).read()) ?? []
        return running.first { $0["url"]?.string == place && $0["error"] != nil }?["error"]?.string
    }

    private func refused(_ refusal: Refusal, at place: String) -> Finding {
        let error = SyncError(refusal)
        let date = Days.moment(Date(timeIntervalSince1970: Double(refusal.time)))
        return .warning(
            "peer",
            "\(place): refused \(refusal.revisionID) with \(error.domain) \(error.code) "
                + "“\(refusal.message)” on \(date)",
            "change the document, or run 'divan push --retry-refused' when the peer accepts it"
        )
    }
}
