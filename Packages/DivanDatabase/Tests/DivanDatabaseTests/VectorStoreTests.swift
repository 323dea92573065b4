import DivanCrypto
import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// A database with version vectors: what is stored, what remotes have, and how one with trees is upgraded.
@Suite struct VectorStoreTests {
    private static let theirs = "T1plcHuGkZynsr3I097p9A"
    private let remote = RemoteID(rawValue: 1)

    private func version(_ store: Store, _ documentID: DocumentID) throws -> Version {
        let document = try store.read { reader in
            try reader.document(documentID, in: .default, includingTombstones: true)
        }
        return try #require(document?.revisionID.version)
    }

    private func save(_ store: Store, _ documentID: DocumentID, _ body: String) throws -> RevisionID
    {
        let outcome = try store.save(documentID, in: .default, body: Array(body.utf8))
        guard case .saved(let document) = outcome else { throw Unexpected(outcome: "\(outcome)") }
        return document.revisionID
    }

    private func received(
        _ documentID: DocumentID,
        _ text: String,
        body: String = #"{"from":"them"}"#,
        refusesConflicts: Bool = false,
        from other: RemoteID? = nil
    ) throws -> RemoteRevision {
        let mixed = try MixedVector(text)
        let ancestry = RevisionAncestry(of: mixed)
        return RemoteRevision(
            documentID: documentID,
            revisionID: try #require(mixed.current),
            history: ancestry.ids,
            mergeCount: ancestry.mergeCount,
            body: Array(body.utf8),
            remote: other ?? remote,
            refusesConflicts: refusesConflicts
        )
    }

    @Test(arguments: EngineKind.allCases)
    func `each save gets a later version with the source of the database`(kind: EngineKind) throws {
        let room = try VersionedStoreFixture(kind)
        var last = UInt64(0)
        for number in 1...20 {
            let id = try save(room.store, "doc", #"{"n":\#(number)}"#)
            let version = try #require(id.version)
            #expect(version.source == room.store.source && version.time > last)
            last = version.time
        }
        #expect(room.store.source.bytes == room.store.publicUUID)
        let history = try room.store.read { try $0.revisions(of: "doc", in: .default) }
        #expect(history?.isSingle == true)
        #expect(try room.store.read { try $0.tree(of: "doc", in: .default) } == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `a received revision is inserted, kept as a conflict, or already known`(
        kind: EngineKind
    ) throws {
        let room = try VersionedStoreFixture(kind)
        let store = room.store
        let mine = try save(store, "doc", #"{"n":1}"#)
        let newer = String(mine.timestamp + 5, radix: 16) + "@\(Self.theirs)"
        // From the first peer, a revision without history would follow the last one that it is known to have.
        let stranger = RemoteID(rawValue: 2)
        let outcomes = try store.write { writer in
            [
                try writer.insert(received("doc", "\(newer); \(mine)"), in: .default),
                try writer.insert(received("doc", "\(newer); \(mine)"), in: .default),
                try writer.insert(
                    received("doc", "5000000000000@KjVAS1ZhbHeCjZijrrnEzw", from: stranger),
                    in: .default
                ),
            ]
        }
        #expect(outcomes[0] == .inserted(sequence: 2, isConflict: false))
        #expect(outcomes[1] == .alreadyThere)
        #expect(outcomes[2] == .inserted(sequence: 3, isConflict: true, isBranched: true))
        #expect(try store.read { try $0.conflicts(in: .default) } == ["doc"])
        let conflict = try #require(try store.read { try $0.conflict(of: "doc", in: .default) })
        #expect(conflict.local.revisionID.description == newer)
        let ended = try store.write { writer in
            try writer.resolveConflict(
                "doc",
                in: .default,
                local: conflict.local.revisionID,
                remote: conflict.remote.revisionID,
                decision: .merge(body: Array(#"{"both":true}"#.utf8), hasBlobs: false)
            )
        }
        #expect(ended?.revisionID.version?.source == store.source)
        #expect(try store.read { try $0.conflicts(in: .default) } == [])
        let history = try store.read { reader in
            try reader.ancestry(
                of: "doc",
                try #require(ended?.revisionID),
                in: .default,
                limit: 50,
                known: []
            )
        }
        #expect(history.mergeCount == 2 && history.ids.count == 2)
    }

    @Test(arguments: EngineKind.onDisk)
    func `compacting keeps the blobs of an older revision that a remote has`(
        kind: EngineKind
    ) throws {
        let room = try VersionedStoreFixture(kind)
        let store = room.store
        let digest = try store.blobs.write([1, 2, 3])
        // Theirs is behind ours and has the greater version, so that it may arrive again.
        let theirs = "6000000000000@KjVAS1ZhbHeCjZijrrnEzw"
        var ours = try received("doc", "5000000000000@\(Self.theirs); \(theirs)")
        ours.remote = RemoteID(rawValue: 2)
        let body = #"{"b":{"@type":"blob","digest":"\#(digest)","length":3}}"#
        var behind = try received("doc", theirs, body: body)
        behind.hasBlobs = true
        for revision in [ours, behind] {
            _ = try store.write { try $0.insert(revision, in: .default) }
        }
        let kept = try store.read { reader in
            try reader.revision("doc", behind.revisionID, in: .default)
        }
        #expect(kept?.body == behind.body)
        try store.compact()
        #expect(store.blobs.contains(digest))
    }

    @Test(arguments: EngineKind.allCases)
    func `a conflicting revision is refused if conflicts are not allowed`(kind: EngineKind) throws {
        let room = try VersionedStoreFixture(kind)
        let mine = try save(room.store, "doc", "{}")
        let code = try refusal {
            try room.store.write { writer in
                _ = try writer.insert(
                    received("doc", "5000000000000@\(Self.theirs)", refusesConflicts: true),
                    in: .default
                )
            }
        }
        #expect(code == .conflict(documentID: "doc", current: mine))
    }

    @Test(arguments: EngineKind.allCases)
    func `versions with invalid times or sources change nothing`(kind: EngineKind) throws {
        let room = try VersionedStoreFixture(kind)
        for text in [
            "1@\(Self.theirs)", "7fffffffffffffff@\(Self.theirs)",
            "8000000000000000@\(Self.theirs)",
        ] {
            for id in ["new", "old"] as [DocumentID] {
                if id == "old" { _ = try save(room.store, id, "{}") }
                let code = try refusal {
                    try room.store.write { _ = try $0.insert(received(id, text), in: .default) }
                }
                guard case .badRevision = code else {
                    Issue.record("\(text): \(String(describing: code))")
                    continue
                }
            }
        }
        #expect(try room.store.read { try $0.count(in: .default) } == 1)
    }

    @Test func `a database with revision trees refuses a version`() throws {
        let store = Store.inMemory()
        let code = try refusal {
            try store.write { writer in
                _ = try writer.insert(received("doc", "5000000000000@\(Self.theirs)"), in: .default)
            }
        }
        guard case .badRevision(_, .foreignScheme) = code else {
            Issue.record("\(String(describing: code))")
            return
        }
    }

    @Test func `version times increase after the clock is set back, also across a restart`() throws
    {
        let home = try TemporaryDirectory()
        let path = home.file("clock.cblite2")
        let options = StoreOptions(scheme: .vectors)
        let first = try Store.open(directory: path, options: options)
        let before = try save(first, "a", "{}")
        try first.close()
        let second = try Store.open(directory: path)
        defer { try? second.close() }
        #expect(second.scheme == .vectors && second.source == first.source)
        #expect(try save(second, "b", "{}").timestamp > before.timestamp)
        #expect(try save(second, "a", #"{"n":2}"#).timestamp > before.timestamp)
    }

    /// Two minutes ahead is accepted, and what follows must be later still.
    @Test func `version times stay after those of a peer, also across a restart`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("clock.cblite2")
        let first = try Store.open(directory: path, options: StoreOptions(scheme: .vectors))
        _ = try save(first, "a", "{}")
        let ahead = UInt64(Date().timeIntervalSince1970) * 1_000_000_000 + 50_000_000_000
        let theirs = String(ahead, radix: 16) + "@\(Self.theirs)"
        _ = try first.write { try $0.insert(received("doc", theirs), in: .default) }
        let before = try save(first, "doc", #"{"n":1}"#)
        #expect(before.timestamp > ahead)
        try first.close()
        let second = try Store.open(directory: path)
        defer { try? second.close() }
        #expect(try save(second, "b", "{}").timestamp > before.timestamp)
    }

    /// Each opening is another store over the same rows.
    @Test func `no version time is reused if the clock is set back between two openings`() throws {
        let start: UInt64 = 1_800_000_000_000_000_000
        let second: UInt64 = 1_000_000_000
        let wall = Wall(start)
        let engine = MemoryEngine()
        func opened() throws -> Store {
            try Store(engine: engine, wallTime: { wall.time.load(ordering: .relaxed) })
        }
        /// Saves a document that was purged, so that only the clock remembers its times.
        func saveAnew(in store: Store) throws -> UInt64 {
            try store.write { _ = try $0.purge("doc", in: .default) }
            return try save(store, "doc", "{}").timestamp
        }
        let first = try opened()
        try first.upgradeToVersionVectors()
        _ = try saveAnew(in: first)
        wall.time.store(start + 30 * second, ordering: .relaxed)
        let before = try saveAnew(in: first)

        wall.time.store(start - 3_600 * second, ordering: .relaxed)
        let after = try saveAnew(in: opened())
        #expect(after > before)
        // Not a minute further with each opening: peers refuse what is far ahead.
        var last = after
        for _ in 0..<5 {
            let next = try saveAnew(in: opened())
            #expect(next > last && next < after + second)
            last = next
        }

        wall.time.store(last + 5 * second, ordering: .relaxed)
        let third = try opened()
        _ = try saveAnew(in: third)
        wall.time.store(last + 25 * second, ordering: .relaxed)
        let late = try saveAnew(in: third)
        wall.time.store(start, ordering: .relaxed)
        #expect(try saveAnew(in: opened()) > late)
    }

    @Test func `a copy has its own source and includes the versions of the original`() throws {
        let home = try TemporaryDirectory()
        let (path, copyPath) = (home.file("one.cblite2"), home.file("two.cblite2"))
        let original = try Store.open(directory: path, options: StoreOptions(scheme: .vectors))
        let first = try save(original, "doc", #"{"n":1}"#)
        try Store.copy(directory: path, to: copyPath)
        let copy = try Store.open(directory: copyPath)
        defer { try? copy.close() }
        #expect(copy.scheme == .vectors && copy.source != original.source)
        #expect(try version(copy, "doc") == first.version)
        let second = try save(copy, "doc", #"{"n":2}"#)
        #expect(second.version?.source == copy.source)
        // The original accepts it as a successor.
        let revision = RemoteRevision(
            documentID: "doc",
            revisionID: second,
            history: [first],
            body: Array(#"{"n":2}"#.utf8),
            remote: remote
        )
        let outcome = try original.write { try $0.insert(revision, in: .default) }
        #expect(outcome == .inserted(sequence: 2, isConflict: false))
        try original.close()
    }

    @Test func `a remote that goes back to an older revision does not end a conflict`() throws {
        let store = Store.inMemory(scheme: .vectors)
        let first = try save(store, "doc", "{}")
        try store.write { try $0.markKnown("doc", first, at: remote, in: .default) }
        let mine = try save(store, "doc", #"{"n":2}"#)
        let base = "\(String(first.timestamp, radix: 16))@\(store.source)"
        let theirs = "\(String(mine.timestamp + 1 << 20, radix: 16))@KjVAS1ZhbHeCjZijrrnEzw"
        let outcome = try store.write {
            try $0.insert(received("doc", "\(theirs); \(base)"), in: .default)
        }
        guard case .inserted(_, isConflict: true, _) = outcome else {
            throw Unexpected(outcome: "\(outcome)")
        }
        let before = try store.read { try $0.document("doc", in: .default) }
        let last = try store.read { try $0.lastSequence(in: .default) }
        let known = KnownRevision(documentID: "doc", revisionID: first, isCurrentThere: true)
        try store.write { try $0.markKnown([known], at: remote, in: .default) }
        #expect(try store.read { try $0.document("doc", in: .default) } == before)
        #expect(try store.read { try $0.lastSequence(in: .default) } == last)
        #expect(try store.read { try $0.conflicts(in: .default) } == ["doc"])
    }

    @Test func `a duplicate of the database is detected, and this one gets a new source`() throws {
        let store = Store.inMemory(scheme: .vectors)
        let mine = try save(store, "doc", "{}")
        let source = store.source
        let foreign = "\(String(mine.timestamp + 1 << 20, radix: 16))@\(source)"
        _ = try store.write { try $0.insert(received("other", foreign), in: .default) }
        #expect(store.source != source)
        #expect(try save(store, "doc", #"{"n":2}"#).version?.source == store.source)
    }

    @Test func `a new source is not used before it is stored, and the duplicate is remembered`()
        throws
    {
        let storage = UnsyncedBlobStorage()
        let store = try Store(engine: MemoryEngine(), blobs: BlobStore(storage))
        try store.upgradeToVersionVectors()
        let mine = try save(store, "doc", "{}")
        let source = store.source
        let foreign = "\(String(mine.timestamp + 1 << 20, radix: 16))@\(source)"
        storage.fails.store(true, ordering: .relaxed)
        #expect(throws: StoreError.self) {
            try store.write { writer in
                _ = try writer.insert(received("other", foreign), in: .default)
                _ = try writer.save(
                    "pictures",
                    in: .default,
                    body: Array("{}".utf8),
                    hasBlobs: true
                )
            }
        }
        #expect(store.source == source)
        storage.fails.store(false, ordering: .relaxed)
        _ = try store.write { try $0.insert(received("other", foreign), in: .default) }
        #expect(store.source != source)
        #expect(try save(store, "doc", #"{"n":2}"#).version?.source == store.source)
    }

    /// A simulation passes in bytes that repeat.
    @Test func `a new source is created from the given source of random bytes`() throws {
        let store = Store.inMemory(scheme: .vectors, random: CountingSource())
        let mine = try save(store, "doc", "{}")
        let foreign = "\(String(mine.timestamp + 1 << 20, radix: 16))@\(store.source)"
        _ = try store.write { try $0.insert(received("other", foreign), in: .default) }
        // After the two UUIDs of a new database.
        #expect(store.source.bytes == Array(repeating: 3, count: 16))
    }
}

/// A storage whose blobs do not reach a disk while it fails.
private final class UnsyncedBlobStorage: BlobStorage {
    let fails = Atomic(false)
    private let storage = BlobMemory()

    var directory: String? { nil }
    func byteCount(_ digest: BlobDigest) -> Int? { storage.byteCount(digest) }
    func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource {
        try storage.source(digest)
    }
    func sink() throws(StoreError) -> any BlobSink { try storage.sink() }
    func remove(_ digest: BlobDigest) throws(StoreError) { try storage.remove(digest) }
    func contents() throws(StoreError) -> (digests: [BlobDigest], unknownNames: [String]) {
        try storage.contents()
    }
    func settle() throws(StoreError) {
        if fails.load(ordering: .relaxed) { throw StoreError(.diskFull) }
    }
}

/// A wall clock, set by hand.
private final class Wall: Sendable {
    let time: Atomic<UInt64>

    init(_ time: UInt64) { self.time = Atomic(time) }
}

/// Bytes that count the requests.
private final class CountingSource: RandomSource {
    private let count = Atomic<UInt8>(0)

    func bytes(_ count: Int) -> [UInt8] {
        Array(repeating: self.count.add(1, ordering: .relaxed).newValue, count: count)
    }
}

/// A store with version vectors of either kind.
final class VersionedStoreFixture {
    let store: Store
    private let home: TemporaryDirectory?

    init(_ kind: EngineKind) throws {
        switch kind {
        case .file, .sealed:
            let home = try TemporaryDirectory()
            store = try Store.open(
                directory: home.file("room.cblite2"),
                options: StoreOptions(
                    scheme: .vectors,
                    sealing: kind == .sealed ? try TestSealing(1) : nil
                )
            )
            self.home = home
        case .memory:
            store = Store.inMemory(scheme: .vectors)
            home = nil
        }
    }

    deinit {
        try? store.close()
    }
}
