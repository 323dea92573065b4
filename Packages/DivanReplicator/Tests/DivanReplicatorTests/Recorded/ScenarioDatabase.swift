import DivanCrypto
import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanStore
import Synchronization

/// One database of a `RecordedScenario`, with the recorded source and a clock that is set to the recorded times.
final class ScenarioDatabase {
    let site: Site
    let path: CollectionPath
    /// The last checkpoint saved with each server.
    var checkpoints: [String: [UInt8]] = [:]
    /// The body saved last, in any document.
    private(set) var lastBody: String?
    private let name: String
    private let clock: Clock
    private static let scratch = CollectionPath("scratch") ?? .default

    /// Nanoseconds since 1970.
    private final class Clock: Sendable {
        let now = Mutex<UInt64>(0x18E9_E000_0000_0000)
    }

    init(
        _ name: String,
        scheme: RevisionScheme,
        source: String,
        at path: CollectionPath
    ) throws {
        let clock = Clock()
        let bytes = Version("1ffffffffffff@" + source)?.source.bytes ?? []
        let store = Store.inMemory(
            scheme: scheme,
            random: FirstBytes(bytes),
            wallTime: { clock.now.withLock { $0 } }
        )
        self.name = name
        self.clock = clock
        self.path = path
        let others = [Self.scratch] + (path == .default ? [] : [path])
        site = try Site(store, collections: others)
    }

    /// Returns the recorded source first, then arbitrary bytes.
    private final class FirstBytes: RandomSource {
        private let first: Mutex<[UInt8]>

        init(_ bytes: [UInt8]) { first = Mutex(bytes) }

        func bytes(_ count: Int) -> [UInt8] {
            let kept = first.withLock { bytes in
                defer { bytes = [] }
                return bytes
            }
            return kept.count == count ? kept : SystemRandomSource().bytes(count)
        }
    }

    // MARK: The clock

    /// The latest time at which this database wrote a document.
    func latestTime(of id: String) -> UInt64 {
        let history = try? site.store.read {
            try $0.revisions(of: DocumentID(unchecked: id), in: path)
        }
        return (history as? VectorHistory)?.currentVector.vector.time(of: site.store.source) ?? 0
    }

    /// Sets the clock to a time after all times in the recordings.
    func setClockPastAll() { clock.now.withLock { $0 = 0x18F0_0000_0000_0000 } }

    /// Makes the next version get this time.
    private func set(_ time: UInt64?) throws {
        guard let time, site.store.scheme == .vectors else { return }
        clock.now.withLock { $0 = time }
        guard time & 0xFFFF != 0, let earlier = Version(time: time - 1, source: .revisionTree)
        else { return }
        // The clock continues after the latest time that it has seen.
        try site.store.write { writer in
            _ = try writer.insert(
                RemoteRevision(
                    documentID: "tick",
                    revisionID: RevisionID(earlier),
                    history: [],
                    body: Array("{}".utf8),
                    refusesConflicts: true
                ),
                in: Self.scratch
            )
        }
    }

    // MARK: Actions

    /// A copy of the database, which writes with its own source.
    func copy(_ name: String, source: String) throws -> ScenarioDatabase {
        let copy = try ScenarioDatabase(
            name,
            scheme: site.store.scheme,
            source: source,
            at: path
        )
        copy.setClockPastAll()
        let rows = try site.store.read { try $0.changes(in: path, after: 0, limit: .max) }
        for row in rows {
            let history = try site.store.read { try $0.revisions(of: row.documentID, in: path) }
            guard let current = (history as? VectorHistory)?.known.first else { continue }
            try copy.site.store.write { writer in
                let ancestry = RevisionAncestry(of: current.mixed)
                _ = try writer.insert(
                    RemoteRevision(
                        documentID: row.documentID,
                        revisionID: current.revision.id,
                        history: ancestry.ids,
                        mergeCount: ancestry.mergeCount,
                        isTombstone: current.revision.isTombstone,
                        body: current.revision.body ?? Array("{}".utf8),
                        remote: nil,
                        refusesConflicts: true
                    ),
                    in: path
                )
            }
        }
        return copy
    }

    /// Saves a document, or deletes it.
    func save(_ id: String, _ body: String?, at time: UInt64?) throws {
        try set(time)
        let documentID = DocumentID(unchecked: id)
        guard let body else {
            try site.delete(documentID, in: path)
            return
        }
        lastBody = body
        let hasBlobs = body.contains(#""@type":"blob""#)
        try site.save(documentID, body, in: path, hasBlobs: hasBlobs)
    }

    /// Resolves a conflict as recorded.
    func resolve(_ id: String, _ answer: String, at time: UInt64?) throws {
        try set(time)
        let documentID = DocumentID(unchecked: id)
        let history = try site.store.read { try $0.revisions(of: documentID, in: path) }
        guard let conflict = history?.conflict else { return }
        let decision: ConflictDecision
        switch answer {
        case _ where answer.contains("local"): decision = .keepLocal
        case _ where answer.contains("remote"): decision = .keepRemote
        case "delete": decision = .delete
        default:
            decision = .merge(body: try JSON(parsing: answer).canonicalBytes(), hasBlobs: false)
        }
        _ = try site.store.write { writer in
            try writer.resolveConflict(
                documentID,
                in: path,
                local: conflict.local.id,
                remote: conflict.remote.id,
                decision: decision
            )
        }
    }

    // MARK: Contents

    /// Differences from the recorded database: current revision, conflict, body.
    func differences(from recorded: [JSON]) throws -> [String] {
        var found: [String] = []
        for item in recorded {
            let id = item["id"]?.string ?? ""
            let documentID = DocumentID(unchecked: id)
            let document = try site.store.read {
                try $0.document(documentID, in: path, includingTombstones: true)
            }
            let theirs = item["history"]?.string ?? item["rev"]?.string ?? ""
            let current = String(theirs.prefix { $0 != "," && $0 != ";" })
            let ours = document?.revisionID.description ?? "nothing"
            if ours != current { found.append("\(id) is \(ours), not \(current)") }
            let isConflicted = item["conflicted"]?.bool ?? false
            let history = try site.store.read { try $0.revisions(of: documentID, in: path) }
            if (history?.isConflicted ?? false) != isConflicted {
                found.append("\(id) is \(isConflicted ? "not " : "")in conflict")
            }
            if let body = item["body"], body.kind == .object, let document, ours == current,
                !document.isTombstone,
                try JSON(parsing: document.body.span) != body
            {
                found.append("\(id) has another body")
            }
        }
        return found
    }
}
