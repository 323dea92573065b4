import DivanRevisions
import DivanTestKit
import Testing

@testable import DivanDatabase
// Whether a row was written is not public.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Marks of what remotes have, set in batches as a push does.
@Suite struct RemoteMarkTests {
    private let remote = RemoteID(rawValue: 1)
    private let other = RemoteID(rawValue: 2)

    /// Marks the changes in the feed after a sequence, as if the remote had accepted them all.
    private func push(_ room: StoreFixture, to remote: RemoteID, after sequence: UInt64 = 0) throws
    {
        let marks = try marks(room, after: sequence)
        try room.store.write { try $0.markKnown(marks, at: remote, in: .default) }
    }

    private func marks(_ room: StoreFixture, after sequence: UInt64 = 0) throws -> [KnownRevision] {
        let changes = try room.store.read {
            try $0.changes(in: .default, after: sequence, limit: 1_000, remote: remote)
        }
        return changes.map {
            KnownRevision(
                documentID: $0.documentID,
                revisionID: $0.revisionID,
                sequence: $0.isFirst ? $0.sequence : nil,
                feedEnd: $0.feedEnd
            )
        }
    }

    private func ancestor(
        _ documentID: DocumentID,
        _ room: StoreFixture,
        _ remote: RemoteID
    ) throws -> RevisionID? {
        try room.store.read { try $0.remoteAncestor(of: documentID, at: remote, in: .default) }
    }

    private func rowTree(_ documentID: DocumentID, _ room: StoreFixture) throws -> RowTree? {
        try room.store.read { reader in
            let id = try reader.collection(.default).id
            return try reader.current().row(documentID, in: id, content: .summary)?.tree
        }
    }

    private func fill(_ room: StoreFixture, _ numbers: ClosedRange<Int>) throws {
        for number in numbers {
            try room.save(DocumentID(unchecked: "doc-\(number)"), #"{"n":\#(number)}"#)
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a long push marks new documents without rewriting their rows`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try fill(room, 1...40)
        try push(room, to: remote)
        for number in [1, 17, 40] {
            let document = try room.document(DocumentID(unchecked: "doc-\(number)"))
            #expect(
                try ancestor(DocumentID(unchecked: "doc-\(number)"), room, remote)
                    == document?.revisionID
            )
            #expect(try ancestor(DocumentID(unchecked: "doc-\(number)"), room, other) == nil)
            #expect(
                try rowTree(DocumentID(unchecked: "doc-\(number)"), room) == .single(knownAt: nil)
            )
        }
        // One more, immediately after, extends the range.
        try fill(room, 41...41)
        try push(room, to: remote, after: 40)
        #expect(try ancestor("doc-41", room, remote) != nil)
        #expect(try rowTree("doc-41", room) == .single(knownAt: nil))
    }

    @Test(arguments: EngineKind.allCases)
    func `a short push stores marks in the rows`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try fill(room, 1...3)
        try push(room, to: remote)
        #expect(try ancestor("doc-2", room, remote) != nil)
        #expect(try rowTree("doc-2", room) == .single(knownAt: remote))
    }

    @Test(arguments: EngineKind.allCases)
    func `the changes feed and a puller see marks that are stored outside the rows`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        try fill(room, 1...30)
        try push(room, to: remote)
        let changes = try room.store.read {
            try $0.changes(in: .default, after: 0, limit: 100, remote: remote)
        }
        #expect(changes.count == 30)
        #expect(changes.allSatisfy { $0.remoteAncestor == $0.revisionID })
        let asked = changes.map { (documentID: $0.documentID, revisionID: $0.revisionID) }
        for (remote, isMarked) in [(remote, true), (other, false)] {
            let decisions = try room.store.read {
                try $0.decide(asked, in: .default, remote: remote)
            }
            #expect(decisions.allSatisfy { $0 == .known(isMarked: isMarked, isCurrent: true) })
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `an edit keeps the marks of remotes and the marked body`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try fill(room, 1...30)
        try push(room, to: remote)
        try push(room, to: other)
        let first = try #require(try room.document("doc-7"))
        try room.save("doc-7", #"{"n":"edited"}"#)
        for remote in [remote, other] {
            #expect(try ancestor("doc-7", room, remote) == first.revisionID)
        }
        let base = try room.store.read {
            try $0.revision("doc-7", first.revisionID, in: .default)
        }
        #expect(base?.body == first.body)
        // The other documents are unchanged.
        #expect(try ancestor("doc-8", room, other) != nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `documents that changed during a push keep the mark of the revision sent`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        try fill(room, 1...30)
        let sent = try marks(room)
        try room.save("doc-7", #"{"n":"edited"}"#)
        try room.store.write { _ = try $0.purge("doc-9", in: .default) }
        try room.store.write { try $0.markKnown(sent, at: remote, in: .default) }
        #expect(try ancestor("doc-7", room, remote) == sent[6].revisionID)
        #expect(try ancestor("doc-8", room, remote) == sent[7].revisionID)
        #expect(try room.document("doc-9") == nil)
        try room.save("doc-9", "{}")
        #expect(try ancestor("doc-9", room, remote) == nil)
    }

    @Test func `marks survive closing the database and are deleted with their collection`() throws {
        let home = try TemporaryDirectory()
        let path = try #require(CollectionPath("room"))
        var store = try Store.open(directory: home.file("room.cblite2"))
        try store.write { writer in
            try writer.createCollection(path)
            for number in 1...20 {
                _ = try writer.save(
                    DocumentID(unchecked: "doc-\(number)"),
                    in: path,
                    body: Array("{}".utf8)
                )
            }
            let changes = try writer.changes(in: path, after: 0, limit: 100)
            let marks = changes.map {
                KnownRevision(
                    documentID: $0.documentID,
                    revisionID: $0.revisionID,
                    sequence: $0.sequence
                )
            }
            try writer.markKnown(marks, at: remote, in: path)
        }
        try store.close()
        store = try Store.open(directory: home.file("room.cblite2"))
        let known = try store.read { try $0.remoteAncestor(of: "doc-20", at: remote, in: path) }
        #expect(known != nil)
        try store.write { try $0.deleteCollection(path) }
        #expect(try store.read { try $0.current().values(in: .knownSequences) }.isEmpty)
        try store.close()
    }

    /// Any order of saves, pulls, purges and marks has the same result as one mark for each row.
    @Test(arguments: UInt64(0)..<TestLength.of(5, long: 30))
    func `marks set in a batch have the same effect as single marks`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rooms = [try StoreFixture(.file), try StoreFixture(.memory)]
        var sent: [KnownRevision] = []
        for step in 0..<120 {
            let documentID = "doc-\(Int.random(in: 0..<60, using: &generator))"
            let remote = Bool.random(using: &generator) ? remote : other
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4:
                for number in 0..<Int.random(in: 1...20, using: &generator) {
                    for room in rooms {
                        try room.save(DocumentID(unchecked: "\(documentID)-\(number)"), "{}")
                    }
                }
            case 4:
                let body = #"{"step":\#(step)}"#
                for room in rooms { try room.save(DocumentID(unchecked: "\(documentID)-0"), body) }
            case 5:
                for room in rooms {
                    _ = try room.store.write {
                        try $0.purge(DocumentID(unchecked: "\(documentID)-1"), in: .default)
                    }
                }
            case 6:
                for room in rooms {
                    try room.insert(
                        DocumentID(unchecked: "\(documentID)-2"),
                        "1-aa",
                        remote: remote
                    )
                }
            case 7:
                sent = try marks(rooms[0])
            default:
                let first = sent.isEmpty ? 0 : Int.random(in: 0..<sent.count, using: &generator)
                let some = Array(sent[first...].prefix(100))
                try rooms[0].store.write { try $0.markKnown(some, at: remote, in: .default) }
                try rooms[1].store.write { writer in
                    for mark in some {
                        let (documentID, revisionID) = (mark.documentID, mark.revisionID)
                        try writer.markKnown(documentID, revisionID, at: remote, in: .default)
                    }
                }
            }
        }
        try expectEqual(rooms, seed)
    }

    private func expectEqual(_ rooms: [StoreFixture], _ seed: UInt64) throws {
        let changes = try rooms[1].store.read {
            try $0.changes(in: .default, after: 0, limit: 10_000)
        }
        for change in changes {
            for remote in [remote, other] {
                let known = try rooms.map { try ancestor(change.documentID, $0, remote) }
                #expect(known[0] == known[1], "seed \(seed), \(change.documentID)")
            }
        }
        let sequences = try rooms.map { room in
            try room.store.read { try $0.lastSequence(in: .default) }
        }
        #expect(sequences[0] == sequences[1], "seed \(seed)")
        try rooms[0].store.checkIntegrity()
    }
}
