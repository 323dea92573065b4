import DivanPlatform
import DivanRevisions
import DivanTestKit
import Testing

@testable import DivanDatabase
// A thread that can be joined is internal to the module.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Compaction, expiry, integrity, checkpoints, remotes: what is stored in addition to the documents.
@Suite struct MaintenanceTests {
    private func blobBody(_ digest: BlobDigest) -> String {
        #"{"pic":{"@type":"blob","digest":"\#(digest)"}}"#
    }

    /// A blob of the current revision, of a kept ancestor, of a conflict branch, of an attachment,
    /// a held one, and one that nothing refers to.
    @Test(arguments: EngineKind.allCases)
    func `compacting keeps every blob that a stored revision references`(_ kind: EngineKind) throws
    {
        let room = try StoreFixture(kind)
        let blobs = room.store.blobs
        let names = ["current", "ancestor", "conflict", "attachment", "held", "dropped", "none"]
        let digests = try names.map { try blobs.write(Array($0.utf8)) }
        try room.save("a", blobBody(digests[5]), hasBlobs: true)
        try room.save("a", blobBody(digests[0]), hasBlobs: true)
        try room.insert("b", "1-aa", body: blobBody(digests[1]), hasBlobs: true)
        try room.save("b", "{}")
        try room.insert(
            "b",
            "2-ff",
            history: ["1-aa"],
            body: blobBody(digests[2]),
            hasBlobs: true
        )
        let attachments = #"{"_attachments":{"x":{"digest":"\#(digests[3])"}}}"#
        try room.save("c", attachments, hasBlobs: true)
        var hold: BlobHold? = blobs.hold(digests[4])

        let result = try room.store.compact()
        #expect(digests.map(blobs.contains) == [true, true, true, true, true, false, false])
        #expect(result.removedCount == 2 && result.removedByteCount == 11)
        #expect(hold?.digest == digests[4])
        hold = nil
        #expect(try room.store.compact().removedCount == 1)
        try room.store.checkIntegrity()
        #expect(try room.count() == 3)
    }

    @Test(arguments: EngineKind.allCases)
    func `a referenced blob is kept even if the save did not declare it`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let blobs = room.store.blobs
        let digests = try ["saved", "kept", "merged", "earlier"].map {
            try blobs.write(Array($0.utf8))
        }
        let attached = digests.map { #"{"_attachments":{"x":{"digest":"\#($0)"}},"n":1}"# }
        try room.save("saved", attached[0])
        try room.save("kept", blobBody(digests[1]))
        try room.insert("merged", "1-aa", body: "{}")
        try room.save("merged", #"{"side":"ours"}"#)
        try room.insert("merged", "2-ff", history: ["1-aa"], body: #"{"side":"theirs"}"#)
        let merge = ConflictDecision.merge(body: Array(attached[2].utf8), hasBlobs: false)
        _ = try room.store.write { writer in
            let conflict = try #require(try writer.conflict(of: "merged", in: .default))
            return try writer.resolveConflict(
                "merged",
                in: .default,
                local: conflict.local.revisionID,
                remote: conflict.remote.revisionID,
                decision: merge
            )
        }
        // As an earlier version stored it.
        try room.insert("earlier", "1-aa", body: attached[3])
        for name in ["saved", "kept", "merged"] as [DocumentID] {
            #expect(try room.document(name)?.flags.contains(.hasBlobs) == true, "\(name)")
        }
        #expect(try room.document("earlier")?.mayNameBlobs == true)
        #expect(try room.store.compact().removedCount == 0)
        #expect(digests.allSatisfy(blobs.contains))
    }

    @Test(arguments: EngineKind.allCases)
    func `a text that mentions attachments references no blob`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let bodies = [
            #"{"_attachments":{"x":{"digest":"md5-x"}}}"#, #"{"t":"\"@type\":\"blob\""}"#,
            #"{"a":{"_attachments":{"x":{"digest":"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="}}}}"#,
        ]
        for (number, body) in bodies.enumerated() {
            let id = DocumentID(unchecked: "doc-\(number)")
            try room.save(id, body)
            #expect(try room.document(id)?.flags.contains(.hasBlobs) == false, "\(body)")
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a held blob survives compacting until the hold ends`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let blobs = room.store.blobs
        let writer = try blobs.writer()
        try writer.append([1, 2, 3])
        var holds = [try writer.finishHeld(), try blobs.writeHeld([4]), try blobs.writeHeld([4])]
        let digests = holds.map(\.digest)
        #expect(try room.store.compact().removedCount == 0)
        #expect(digests.allSatisfy(blobs.contains))
        holds.removeLast()
        #expect(try room.store.compact().removedCount == 0)
        holds = []
        #expect(try room.store.compact().removedCount == 2)
    }

    /// The system clock goes back a day, forward to the next century, and back to where it was.
    @Test(arguments: EngineKind.allCases)
    func `documents that are due are purged once, even if the clock jumps`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let now: Int64 = 1_800_000_000_000
        let times: [(DocumentID, Int64?)] = [
            ("soon", now + 1_000), ("later", now + 86_400_000), ("never", nil),
        ]
        for (name, time) in times {
            try room.save(name)
            try room.store.write { try $0.setExpiration(time, of: name, in: .default) }
        }
        #expect(try room.store.purgeExpired(now: now - 86_400_000) == 0)
        #expect(try room.store.purgeExpired(now: .min) == 0)
        #expect(try room.store.purgeExpired(now: now + 1_000) == 1)
        #expect(try room.store.purgeExpired(now: now) == 0)
        #expect(try room.store.purgeExpired(now: .max) == 1)
        #expect(try room.store.purgeExpired(now: now) == 0)
        #expect(try room.document("never") != nil && room.count() == 1)
        #expect(try room.store.nextExpiration() == nil)
    }

    @Test(arguments: EngineKind.onDisk)
    func `compacting leaves unknown files alone and reports them`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let directory = try #require(room.store.blobs.directory)
        try write([1], to: directory + "/notes.txt")
        #expect(try room.store.compact().unknownNames == ["notes.txt"])
        #expect(try entries(directory) == ["notes.txt"])
    }

    @Test(arguments: EngineKind.onDisk)
    func `compacting inside a transaction is refused`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let code = try refusal { try room.store.write { _ in _ = try room.store.compact() } }
        #expect(code == .busy(.thisProcess(ownerCount: 1)))
    }

    @Test(arguments: EngineKind.allCases)
    func `compacting keeps all blobs if a body is unreadable, and reports the document`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let digest = try room.store.blobs.write([1])
        try room.save("doc", "{not JSON", hasBlobs: true)
        let collection = try room.store.compact()
        guard case .damagedDocument("doc", _) = collection.obstacle?.code else {
            throw Unexpected(outcome: "\(collection)")
        }
        #expect(collection.removedCount == 0 && room.store.blobs.contains(digest))
        #expect(try room.store.garbage() == collection)
        try room.store.write { _ = try $0.purge("doc", in: .default) }
        let next = try room.store.compact()
        #expect(next.obstacle == nil && next.removedCount == 1)
    }

    /// What a flipped bit makes of a body; the row itself is intact.
    @Test(arguments: EngineKind.allCases, [#"{"n":1"#, #"["n"]"#, "{\"n\":\u{1}}", ""])
    func `the integrity check finds a body that is not a JSON object`(
        _ kind: EngineKind,
        body: String
    ) throws {
        let room = try StoreFixture(kind)
        try room.save("good", #"{"n":1}"#)
        try room.store.checkIntegrity()
        try room.save("bad", body)
        let code = try refusal { try room.store.checkIntegrity() }
        guard case .damagedDocument(documentID: "bad", let detail) = code else {
            throw Unexpected(outcome: "no complaint")
        }
        #expect(detail.contains("body"))
    }

    @Test(arguments: EngineKind.allCases)
    func `expired documents are purged, including tombstones`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let notices = Notices()
        let people = try #require(CollectionPath("people"))
        try room.store.createCollection(people)
        try room.save("early")
        try room.save("late")
        try room.save("gone", isTombstone: true)
        try room.store.write { writer in
            _ = try writer.save("other", in: people, body: Array("{}".utf8))
            try writer.setExpiration(1_000, of: "early", in: .default)
            try writer.setExpiration(5_000, of: "late", in: .default)
            try writer.setExpiration(1_500, of: "gone", in: .default)
            try writer.setExpiration(2_000, of: "other", in: people)
        }
        let observation = room.store.observe { notices.add($0) }
        #expect(try room.store.nextExpiration() == 1_000)
        #expect(try room.store.purgeExpired(now: 999) == 0)
        #expect(try room.store.expiredCount(now: 999) == 0)
        #expect(try room.store.expiredCount(now: 2_000) == 3)
        #expect(notices.take() == [])
        #expect(try room.store.purgeExpired(now: 2_000) == 3)
        #expect(notices.take().flatMap(\.changes).map(\.isPurge) == [true, true, true])
        #expect(try room.store.nextExpiration() == 5_000)
        #expect(try room.document("gone") == nil)
        #expect(try room.count() == 1)
        observation.cancel()
    }

    @Test(arguments: EngineKind.allCases)
    func `an expiration survives an edit and does not change the sequence`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        try room.save("doc")
        func expiration() throws -> Int64? {
            try room.store.read { try $0.expiration(of: "doc", in: .default) }
        }
        #expect(try expiration() == nil)
        try room.store.write { try $0.setExpiration(77, of: "doc", in: .default) }
        #expect(try room.document("doc")?.sequence == 1)
        try room.save("doc", #"{"n":2}"#)
        #expect(try expiration() == 77)
        try room.store.write { try $0.setExpiration(nil, of: "doc", in: .default) }
        #expect(try expiration() == nil)
        let code = try refusal {
            try room.store.write { try $0.setExpiration(1, of: "none", in: .default) }
        }
        #expect(code == .notFound(documentID: "none"))
    }

    @Test(arguments: EngineKind.allCases)
    func `a remote keeps its ID`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let first = try room.store.remoteID(for: "wss://one/db")
        let second = try room.store.remoteID(for: "wss://two/db")
        #expect(first != second)
        #expect(try room.store.remoteID(for: "wss://one/db") == first)
        #expect(first.rawValue == 1 && second.rawValue == 2)
        let remotes = try room.store.read { try $0.remotes() }
        #expect(remotes.map(\.name) == ["wss://one/db", "wss://two/db"])
        #expect(remotes.map(\.id) == [first, second])
    }

    /// `checkpoints.md` §7: revisions count from `1-cc`; absent and empty are the same thing.
    @Test(arguments: EngineKind.allCases)
    func `a peer checkpoint is saved only with its current revision`(
        _ kind: EngineKind
    ) throws {
        let store = try StoreFixture(kind)
        let id = "cp-a/b+c="
        let bytes: [UInt8] = [0, 1, 0xFF]
        #expect(try store.store.peerCheckpoint(id) == nil)
        #expect(try store.store.setPeerCheckpoint(id, bytes, expectedRevision: nil) == "1-cc")
        #expect(try store.store.setPeerCheckpoint(id, [], expectedRevision: "1-cc") == "2-cc")
        #expect(try store.store.peerCheckpoint(id)?.body == [])
        for wrong in ["1-cc", "", "3-cc", "x"] {
            let code = try refusal {
                try store.store.setPeerCheckpoint(id, bytes, expectedRevision: wrong)
            }
            #expect(code == .checkpointMismatch(current: "2-cc"))
        }
        #expect(try store.store.setPeerCheckpoint("other", bytes, expectedRevision: "") == "1-cc")
        #expect(try store.store.peerCheckpoint("other")?.body == bytes)
    }

    @Test(arguments: EngineKind.allCases)
    func `local checkpoints, peer checkpoints and metadata are separate`(_ kind: EngineKind) throws
    {
        let room = try StoreFixture(kind)
        try room.store.setLocalCheckpoint("id", [1])
        try room.store.setLocalCheckpoint("id", [2])
        try room.store.write { try $0.setMetadata("id", [3]) }
        #expect(try room.store.localCheckpoint("id") == [2])
        #expect(try room.store.localCheckpoint("none") == nil)
        #expect(try room.store.peerCheckpoint("id") == nil)
        #expect(try room.store.read { try $0.metadata("id") } == [3])
        try room.store.write { try $0.setMetadata("id", nil) }
        #expect(try room.store.read { try $0.metadata("id") } == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `checkpoints are listed and removed individually`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let store = room.store
        defer { withExtendedLifetime(room) {} }
        for id in ["b", "a"] {
            try store.setLocalCheckpoint(id, Array(id.utf8))
            try store.setPeerCheckpoint(id, Array(id.utf8), expectedRevision: nil)
        }
        try store.removeLocalCheckpoint("b")
        try store.removePeerCheckpoint("a")
        try store.removePeerCheckpoint("none")
        let local = try store.read { try $0.localCheckpoints() }
        #expect(local.map(\.id) == ["a"] && local.map(\.body) == [[0x61]])
        let kept = try store.read { try $0.peerCheckpoints() }
        #expect(kept.map(\.id) == ["b"])
        #expect(kept.first?.1.body == [0x62] && kept.first?.1.revision == "1-cc")
    }

    @Test func `maintenance inside a write is refused, and readers see the commit`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        let verbs: [(Store) throws -> Void] = [
            { _ = try $0.compact() }, { _ = try $0.reindex() }, { try $0.optimize() },
            { _ in
                _ = try Store.open(directory: path, options: StoreOptions(fullSync: true))
            },
        ]
        for (number, verb) in verbs.enumerated() {
            try store.write { writer in
                let id = DocumentID(unchecked: "\(number)")
                _ = try writer.save(id, in: .default, body: Array("{}".utf8))
                let code = try refusal { try verb(store) }
                #expect(code == .busy(.thisProcess(ownerCount: number < 3 ? 1 : 2)))
                // Somebody reads before the commit; what they saw is not for readers after it.
                let reader = JoinedThread { _ = try? store.read { try $0.count(in: .default) } }
                reader?.join()
            }
            #expect(try store.read { try $0.count(in: .default) } == number + 1)
        }
        #expect(store.ownerCount == 1)
    }
}
