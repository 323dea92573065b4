import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanReplicator
import DivanRevisions
import Foundation

/// Examines a database: its files, everything that is stored, and pending documents.
struct DatabaseExamination {
    private let path: DatabasePath
    /// The collections to report on; all if empty.
    private let wanted: [CollectionPath]
    private let show: (Finding) -> Void

    init(
        _ path: DatabasePath,
        _ wanted: [CollectionPath],
        _ show: @escaping (Finding) -> Void
    ) {
        self.path = path
        self.wanted = wanted
        self.show = show
    }

    func run() throws {
        do {
            // Anything in the place of a database is examined: no database can be created there.
            if !FileManager.default.fileExists(atPath: path.bundle) { try path.requireDatabase() }
            for finding in DatabaseEnvironment(path).findings { show(finding) }
            let store = try path.open(forWriting: false)
            defer { try? store.close() }
            try path.require(wanted, in: store)
            reportFormat(store)
            if let standing = try store.clockStanding() {
                show(VersionClockFinding(standing: standing, database: path.word).finding)
            }
            try reportContent(store)
            try reportSizes(store)
            try reportWaiting(store)
        } catch {
            let failure = Failure(explaining: error)
            show(.failed("open", failure.sentence, remedy(for: error), failure.kind))
        }
    }

    /// The remedy for a database that cannot be opened or read.
    private func remedy(for error: any Error) -> String {
        guard let code = (error as? StoreError)?.code else {
            return path.isSealed
                ? "add '--key-file FILE' or '--key-command COMMAND'"
                : "check the path, its owner and its permissions: 'ls -la \(path.bundle)'"
        }
        return switch code {
        case .noSuchCollection: "run 'divan collections \(path.word)' to list the collections"
        case .noSuchDatabase: "check the path, or run 'divan new \(path.word)' to create it"
        case .tooNew: "upgrade divan ('divan --version' shows the installed version)"
        case .notADatabase:
            path.isSealed
                ? "use the key that the database is encrypted with now: '--key-file FILE'"
                : "check the path, use 'divan import-cblite' for a Couchbase Lite database, or "
                    + "restore a backup"
        case .busy: "stop that process, or wait until it has finished"
        case .diskFull: "free some space, and try again"
        case .readOnly: "check the owner, the permissions and the mount options"
        default: "run 'divan check \(path.word) --repair-from URL', or restore a backup"
        }
    }

    private func reportFormat(_ store: Store) {
        let revisions = store.scheme == .trees ? "revision trees" : "version vectors"
        show(.ok("format", "Divan database with \(revisions)"))
    }

    private func reportContent(_ store: Store) throws {
        let inspection = try store.inspect()
        guard let first = inspection.damages.first else {
            return show(
                .ok(
                    "content",
                    "intact: \(Numbers.count(inspection.documentCount, "document")), "
                        + Numbers.count(inspection.blobCount, "blob")
                )
            )
        }
        show(
            .failed(
                "content",
                "\(Numbers.count(inspection.damages.count, "problem")); the first: \(first)",
                "run 'divan check \(path.word) --repair-from URL', or restore a backup",
                .database
            )
        )
    }

    private func reportSizes(_ store: Store) throws {
        let usage = try store.usage()
        for collection in usage.collections
        where wanted.isEmpty || wanted.contains(collection.path) { show(Self.size(of: collection)) }
        let blobs = Numbers.count(usage.blobs.count, "blob")
        var seen =
            "file \(Numbers.bytes(usage.fileByteCount)), log \(Numbers.bytes(usage.logByteCount)), "
            + "\(blobs) of \(Numbers.bytes(usage.blobs.byteCount))"
        // Blobs that damaged documents refer to appear unused.
        if usage.unusedBlobs.count > 0, usage.collections.allSatisfy({ $0.damagedCount == 0 }) {
            seen += ", \(Numbers.bytes(usage.unusedBlobs.byteCount)) of them unused"
        }
        var finding = Finding.ok("size", seen)
        finding.figures = [
            "file": JSON(usage.fileByteCount), "log": JSON(usage.logByteCount),
            "blobs": JSON(usage.blobs.byteCount), "unusedBlobs": JSON(usage.unusedBlobs.byteCount),
        ]
        show(finding)
        if usage.logByteCount > 64 << 20, usage.logByteCount > usage.fileByteCount {
            let remedy = "run 'divan compact \(path.word)'"
            show(.warning("log", "larger than the database file", remedy))
        }
    }

    private static func size(of collection: StoreUsage.Collection) -> Finding {
        let deleted = collection.tombstoneCount
        var parts = [
            "\(collection.path.wireName): \(Numbers.count(collection.documentCount, "document"))"
                + (deleted > 0 ? " and \(Numbers.count(deleted, "tombstone"))" : ""),
            "bodies \(Numbers.bytes(collection.bodyByteCount)) (largest "
                + "\(Numbers.bytes(collection.largestBodyByteCount)))",
            "old revisions \(Numbers.bytes(collection.historyByteCount))",
            "blobs \(Numbers.bytes(collection.blobByteCount))",
        ]
        if collection.damagedCount > 0 {
            parts.append("\(collection.damagedCount) damaged, not counted")
        }
        if let indexes = collection.indexByteCount {
            parts.append("indexes \(Numbers.bytes(indexes))")
        }
        var finding = Finding.ok("size", parts.joined(separator: ", "))
        finding.figures = [
            "collection": .string(collection.path.wireName),
            "documents": JSON(collection.documentCount), "tombstones": JSON(deleted),
            "damaged": JSON(collection.damagedCount),
            "bodies": JSON(collection.bodyByteCount),
            "oldRevisions": JSON(collection.historyByteCount),
            "blobs": JSON(collection.blobByteCount),
            "indexes": collection.indexByteCount.map { JSON($0) } ?? .null,
        ]
        return finding
    }

    private func reportWaiting(_ store: Store) throws {
        let paths = wanted.isEmpty ? try store.collections() : wanted
        let conflicts = try store.read { reader in
            try paths.reduce(0) { try $0 + reader.conflicts(in: $1).count }
        }
        if conflicts > 0 {
            let seen =
                "\(Numbers.count(conflicts, "document")) in conflict, not pushed until resolved"
            let remedy = "run 'divan conflicts ls \(path.word)' to list them"
            show(.warning("conflicts", seen, remedy))
        } else {
            show(.ok("conflicts", "none"))
        }
        let remotes = try store.read { try $0.remotes() }
        if remotes.isEmpty {
            let visits = try store.read { try Explanation.visits(in: $0) }
            show(.ok("peers", visits ?? "never synced"))
        }
        for remote in remotes { try reportPending(at: remote, paths, store) }
        let count = try store.read { reader in
            try paths.reduce(0) { try $0 + reader.indexes(in: $1).count }
        }
        show(.ok("indexes", Numbers.count(count, "index", "indexes")))
    }

    private func reportPending(
        at remote: StoredRemote,
        _ paths: [CollectionPath],
        _ store: Store
    ) throws {
        let question = PendingLookup(store: store, remote: remote.name)
        let pending = try question.documentIDs(in: paths).reduce(0) { $0 + $1.documentIDs.count }
        let refused = try question.refusals(in: paths).reduce(0) { $0 + $1.refusals.count }
        let failed = try question.failedPulls(in: paths).reduce(0) { $0 + $1.refusals.count }
        let place = PeerURL.text(remote.name)
        if refused + failed > 0 {
            let parts = [(refused, "refused"), (failed, "not pulled")].filter { $0.0 > 0 }
                .map { "\(Numbers.count($0.0, "document")) \($0.1)" }
            let seen = "\(place): \(parts.joined(separator: ", ")), \(pending) pending"
            let remedy = "run 'divan pending \(path.word)' for the documents and the reasons"
            show(.warning("peers", seen, remedy))
        } else {
            show(.ok("peers", "\(place): \(pending) pending"))
        }
    }
}
