import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Testing

/// Received revisions: histories, conflicts, marks.
@Suite struct InsertTests {
    private let remote = RemoteID(rawValue: 1)

    @Test(arguments: EngineKind.allCases)
    func `a received revision keeps its ID`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let outcome = try room.insert(
            "doc",
            "3-cc",
            history: ["2-bb", "1-aa"],
            body: #"{"x":1}"#
        )
        #expect(outcome == .inserted(sequence: 1, isConflict: false))
        let document = try #require(try room.document("doc"))
        #expect(document.revisionID.description == "3-cc" && document.text == #"{"x":1}"#)
        #expect(try room.insert("doc", "3-cc", history: ["2-bb"]) == .alreadyThere)
        #expect(try room.insert("doc", "2-bb", history: ["1-aa"]) == .alreadyThere)
        #expect(try room.document("doc") == document)
    }

    @Test(arguments: EngineKind.allCases)
    func `a received revision continues a known one`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.insert("doc", "1-aa")
        let outcome = try room.insert("doc", "3-cc", history: ["2-bb", "1-aa"])
        #expect(outcome == .inserted(sequence: 2, isConflict: false))
        #expect(try room.count() == 1)
    }

    @Test(arguments: EngineKind.allCases, [false, true])
    func `storing first revisions in a batch gives the same result as one by one`(
        _ kind: EngineKind,
        isIndexed: Bool
    ) throws {
        let rooms = try [StoreFixture(kind), StoreFixture(kind)]
        for room in rooms where isIndexed {
            try room.store.write { writer in
                let tags = CheckedKey(.property(source: 0, "tags"))
                try writer.createIndex("byTags", .value([tags], filter: nil), in: .default)
                try writer.createIndex("byTag", .array(["tags"], []), in: .default)
            }
        }
        let received = try (0..<16).map { number in
            RemoteRevision(
                documentID: DocumentID(unchecked: "doc-\(number)"),
                revisionID: try revision("1-a\(number % 10)"),
                isTombstone: number == 3,
                body: Array(number == 3 ? "{}".utf8 : #"{"tags":[1,\#(number)]}"#.utf8),
                remote: remote
            )
        }
        let first = try rooms[0].store.write { try $0.insertFirst(received, in: .default) }
        #expect(first == 1)
        for revision in received {
            try rooms[1].store.write { _ = try $0.insert(revision, in: .default) }
        }
        #expect(try rooms[0].state() == rooms[1].state())
        #expect(try rooms.map { try $0.count() } == [15, 15])
        let notices = Notices()
        let observation = rooms[0].store.observe { notices.add($0) }
        defer { withExtendedLifetime(observation) {} }
        // One of them is here, one has a history: nothing is stored or reported.
        var further = received
        for place in further.indices where place != 5 {
            further[place].documentID = DocumentID(unchecked: "next-\(place)")
        }
        let refused = try rooms[0].store.write { try $0.insertFirst(further, in: .default) }
        further[5].documentID = "next"
        further[5].history = [try revision("1-cc")]
        let isRefused = try rooms[0].store.write { try $0.insertFirst(further, in: .default) }
        #expect(refused == nil && isRefused == nil)
        #expect(try rooms[0].count() == 15 && notices.take().isEmpty)
        further[5].history = []
        let next = try rooms[0].store.write { try $0.insertFirst(further, in: .default) }
        #expect(next == 17)
        #expect(notices.take().map(\.changes.count) == [16])
        try rooms[0].store.checkIntegrity()
        #expect(try rooms[0].store.read { try $0.damagedIndexNames(in: .default) }.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `stores a document whose oldest known revision has a high generation`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let history = (650..<700).reversed().map { "\($0)-aa" }
        #expect(
            try room.insert("doc", "700-aa", history: history)
                == .inserted(sequence: 1, isConflict: false)
        )
        #expect(try room.save("doc").revisionID.generation == 701)
    }

    @Test(arguments: EngineKind.allCases)
    func `a tombstone for an unknown document is stored but not counted`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        try room.insert("doc", "2-bb", history: ["1-aa"], isTombstone: true)
        #expect(try room.count() == 0)
        #expect(try room.document("doc")?.isTombstone == true)
        try room.insert("other", "1-aa", body: #"{"why":"kept"}"#, isTombstone: true)
        #expect(try room.document("other")?.text == #"{"why":"kept"}"#)
    }

    @Test(arguments: EngineKind.allCases)
    func `refuses a history with a gap and changes nothing`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let code = try refusal { try room.insert("doc", "5-ee", history: ["3-cc"]) }
        guard case .badRevision("doc", .brokenHistory) = code else {
            throw Unexpected(outcome: "\(String(describing: code))")
        }
        #expect(try room.document("doc") == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `a pulled conflict is stored next to the local branch`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.insert("doc", "1-aa", body: #"{"n":1}"#)
        let local = try room.save("doc", #"{"n":2}"#)
        let outcome = try room.insert(
            "doc",
            "3-ff",
            history: ["2-ff", "1-aa"],
            body: #"{"n":3}"#
        )
        #expect(outcome == .inserted(sequence: 3, isConflict: true, isBranched: true))
        let document = try #require(try room.document("doc"))
        #expect(document.revisionID == local.revisionID && document.text == #"{"n":2}"#)
        #expect(document.flags.contains(.conflicted))
        #expect(try room.store.read { try $0.conflicts(in: .default) } == ["doc"])
    }

    @Test(arguments: EngineKind.allCases)
    func `refuses a conflict if conflicts are not allowed`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let saved = try room.save("doc", #"{"n":1}"#)
        let code = try refusal {
            try room.insert("doc", "1-ff", remote: nil, refusesConflicts: true)
        }
        #expect(code == .conflict(documentID: "doc", current: saved.revisionID))
        #expect(try room.document("doc") == saved)
        let next = try room.insert(
            "doc",
            "2-ff",
            history: [saved.revisionID.description],
            remote: nil,
            refusesConflicts: true
        )
        #expect(next == .inserted(sequence: 2, isConflict: false))
    }

    /// The row of `revisions.md` §7 by which Sync Gateway accepts that a deleted document comes back.
    @Test(arguments: EngineKind.allCases)
    func `an accepted proposal over a tombstone can be inserted`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.save("doc", #"{"n":1}"#)
        let gone = try room.save("doc", isTombstone: true)
        let proposed = try revision("1-ff")
        let verdicts = try room.store.read { reader in
            try reader.evaluate([("doc", proposed, nil)], in: .default)
        }
        #expect(verdicts == [.accept])
        let outcome = try room.insert(
            "doc",
            "1-ff",
            body: #"{"n":9}"#,
            remote: nil,
            refusesConflicts: true
        )
        guard case .inserted(sequence: 3, isConflict: false, _) = outcome else {
            throw Unexpected(outcome: "\(outcome)")
        }
        let revived = try #require(try room.document("doc"))
        #expect(revived.revisionID == proposed && revived.flags == [] && revived.sequence == 3)
        #expect(try room.count() == 1)
        let parent = gone.revisionID.description
        let late = try refusal {
            try room.insert("doc", "3-ff", history: [parent], remote: nil, refusesConflicts: true)
        }
        #expect(late == .conflict(documentID: "doc", current: proposed))
        let deleted = try room.save("doc", isTombstone: true)
        #expect(deleted.revisionID.generation == 2 && deleted.isTombstone)
    }

    @Test(arguments: EngineKind.allCases)
    func `a mark for a remote survives an edit and keeps the marked body`(_ kind: EngineKind) throws
    {
        let room = try StoreFixture(kind)
        let first = try room.save("doc", #"{"n":1}"#)
        let second = RemoteID(rawValue: 2)
        try room.store.write { writer in
            try writer.markKnown("doc", first.revisionID, at: remote, in: .default)
            try writer.markKnown("doc", first.revisionID, at: second, in: .default)
            try writer.markKnown("none", first.revisionID, at: remote, in: .default)
        }
        #expect(try room.document("doc") == first)
        let edited = try room.save("doc", #"{"n":2}"#)
        try room.store.read { reader in
            #expect(
                try reader.remoteAncestor(of: "doc", at: remote, in: .default)
                    == first.revisionID
            )
            #expect(
                try reader.remoteAncestor(of: "doc", at: second, in: .default)
                    == first.revisionID
            )
            #expect(
                try reader.revision("doc", first.revisionID, in: .default)?.body
                    == Array(#"{"n":1}"#.utf8)
            )
            let base = try reader.isAncestor(
                first.revisionID,
                of: edited.revisionID,
                documentID: "doc",
                in: .default
            )
            #expect(base)
        }
        try room.store.write { writer in
            try writer.markKnown("doc", edited.revisionID, at: remote, in: .default)
        }
        #expect(
            try room.store.read {
                try $0.remoteAncestor(of: "doc", at: remote, in: .default)
            } == edited.revisionID
        )
    }

    @Test(arguments: EngineKind.onDisk)
    func `a batch is one transaction`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let revisionID = try revision("1-aa")
        #expect(throws: StoreError.self) {
            try room.store.write { writer in
                for number in 1...200 {
                    // The history of the last one is rejected.
                    let documentID = DocumentID(unchecked: "doc-\(number)")
                    let received = RemoteRevision(
                        documentID: documentID,
                        revisionID: revisionID,
                        history: number == 200 ? [revisionID] : [],
                        body: Array("{}".utf8)
                    )
                    _ = try writer.insert(received, in: .default)
                }
            }
        }
        #expect(try room.count() == 0)
        #expect(try room.store.read { try $0.lastSequence(in: .default) } == 0)
    }

    /// Two stores receive the same revisions in different orders.
    @Test(arguments: UInt64(0)..<TestLength.of(10, long: 40))
    func `both engines give the same result for any input`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rooms = try EngineKind.allCases.map { try StoreFixture($0) }
        for step in 0..<40 {
            let spellings: [DocumentID] = ["\u{212B}", "\u{C5}", "A\u{30A}"]
            let documentID = spellings[Int.random(in: 0..<3, using: &generator)]
            let generation = Int.random(in: 1...5, using: &generator)
            let digests = (0..<generation).map { _ in Int.random(in: 0..<2, using: &generator) }
            let ids = zip((1...generation).reversed(), digests).map { "\($0)-a\($1)" }
            let isTombstone = Int.random(in: 0..<6, using: &generator) == 0
            let choice = Int.random(in: 0..<4, using: &generator)
            let outcomes = rooms.map { room in
                Result<String, StoreError> {
                    try Self.act(choice, in: room, documentID, ids, isTombstone)
                }
            }
            #expect(outcomes[0] == outcomes[1], "seed \(seed), step \(step)")
        }
        for room in rooms { try room.store.checkIntegrity() }
        #expect(try rooms[0].state() == rooms[1].state(), "seed \(seed)")
    }

    private static func act(
        _ choice: Int,
        in room: StoreFixture,
        _ documentID: DocumentID,
        _ ids: [String],
        _ isTombstone: Bool
    ) throws -> String {
        switch choice {
        case 0:
            return "\(try room.save(documentID, #"{"s":1}"#, isTombstone: isTombstone))"
        case 1:
            let id = try revision(ids[0])
            try room.store.write {
                try $0.markKnown(documentID, id, at: RemoteID(rawValue: 1), in: .default)
            }
            return ""
        default:
            let outcome = try room.insert(
                documentID,
                ids[0],
                history: Array(ids.dropFirst()),
                isTombstone: isTombstone
            )
            return "\(outcome)"
        }
    }
}

extension Result where Failure == StoreError {
    fileprivate init(_ body: () throws -> Success) {
        do {
            self = .success(try body())
        } catch let error as StoreError {
            // The path differs between engines; what happened must not.
            self = .failure(StoreError(error.code))
        } catch {
            self = .failure(StoreError(.corrupt("\(error)")))
        }
    }
}

extension StoreFixture {
    /// All documents and trees.
    fileprivate func state() throws -> [String] {
        try store.read { reader in
            try reader.documents(in: .default, after: 0, limit: 1_000).map { document in
                let tree = try reader.tree(of: document.documentID, in: .default)
                return "\(document) \(String(describing: tree?.encoded()))"
            }
        }
    }
}
