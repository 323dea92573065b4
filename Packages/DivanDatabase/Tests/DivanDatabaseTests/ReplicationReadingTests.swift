import DivanDatabase
import DivanRevisions
import DivanTestKit
import Testing

/// The questions that a replicator asks.
@Suite struct ReplicationReadingTests {
    private let remote = RemoteID(rawValue: 1)

    @Test(arguments: EngineKind.allCases)
    func `reading ahead does not change the results`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        for name in ["a", "b", "c", "d", "e"] { try room.save(DocumentID(unchecked: name)) }
        try room.save("b", #"{"x":1}"#)
        let documents = try room.store.read { try $0.documents(in: .default, after: 0, limit: 9) }
        #expect(documents.map(\.sequence) == [1, 3, 4, 5, 6])
        // In order, with one left out, and with one that has a newer sequence.
        for sequences in [[1, 3, 4, 5, 6], [1, 4, 6], [1, 2, 3], [3, 1], []] as [[UInt64]] {
            try room.store.read { reader in
                try reader.readAhead(sequences, in: .default)
                for document in documents {
                    let revision = try reader.revision(
                        document.documentID,
                        document.revisionID,
                        in: .default,
                        at: document.sequence
                    )
                    #expect(revision?.body == document.body)
                    #expect(revision?.sequence == document.sequence)
                    #expect(revision?.isOnly == (document.documentID != "b"))
                }
            }
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `reports which revisions a puller needs`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.insert("pulled", "1-aa")
        let local = try room.save("local").revisionID
        try room.insert("edited", "1-aa")
        let edited = try room.save("edited").revisionID
        let questions: [(documentID: DocumentID, revisionID: RevisionID)] = [
            ("none", try revision("1-aa")),
            ("pulled", try revision("1-aa")),
            ("pulled", try revision("2-bb")),
            ("local", local),
            ("local", try revision("1-ff")),
            ("edited", try revision("1-aa")),
            ("edited", edited),
            ("edited", try revision("3-cc")),
        ]
        let decisions = try room.store.read {
            try $0.decide(questions, in: .default, remote: remote)
        }
        #expect(
            decisions == [
                .wanted(ancestors: []),
                .known(isMarked: true, isCurrent: true),
                .wanted(ancestors: [try revision("1-aa")]),
                .known(isMarked: false, isCurrent: true),
                .wanted(ancestors: []),
                .known(isMarked: true, isCurrent: false),
                .known(isMarked: false, isCurrent: true),
                .wanted(ancestors: [edited, try revision("1-aa")]),
            ]
        )
    }

    @Test(arguments: EngineKind.allCases)
    func `a passive peer refuses revisions that are not newer`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.save("doc")
        let current = try room.save("doc").revisionID
        let questions = try ["1-ff", "2-ff", "3-ff", current.description].map {
            (documentID: "doc" as DocumentID, revisionID: try revision($0))
        }
        let decisions = try room.store.read {
            try $0.decide(questions, in: .default, remote: nil)
        }
        #expect(
            decisions == [
                .conflict, .conflict, .wanted(ancestors: [current]),
                .known(isMarked: true, isCurrent: true),
            ]
        )
    }

    /// Each row of the table in `revisions.md` §7.
    @Test(arguments: EngineKind.allCases)
    func `accepts or refuses a proposal by the current revision only`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let first = try room.save("doc").revisionID
        let second = try room.save("doc", #"{"n":2}"#).revisionID
        let tombstone = try room.save("gone", isTombstone: true).revisionID
        let next = try revision("3-ff")
        let verdicts = try room.store.read { reader in
            try reader.evaluate(
                [
                    ("none", next, first), ("doc", second, first), ("doc", first, nil),
                    ("doc", next, second), ("doc", next, first), ("doc", next, nil),
                    ("gone", next, nil), ("gone", next, tombstone), ("gone", next, first),
                ],
                in: .default
            )
        }
        #expect(
            verdicts == [
                .accept, .known, .conflict(current: second),
                .accept, .conflict(current: second), .conflict(current: second),
                .accept, .accept, .conflict(current: tombstone),
            ]
        )
    }

    @Test(arguments: EngineKind.allCases)
    func `the changes feed lists each document once, in order and in pages`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        for number in 1...7 {
            try room.save(DocumentID(unchecked: "doc-\(number)"), #"{"n":\#(number)}"#)
        }
        try room.save("doc-2", #"{"n":"two"}"#)
        try room.save("doc-5", isTombstone: true)
        try room.insert("doc-9", "1-aa", body: #"{"from":"afar"}"#)
        let pages = try room.store.read { reader in
            (
                try reader.changes(in: .default, after: 0, limit: 4, remote: remote),
                try reader.changes(in: .default, after: 6, limit: 9, remote: remote)
            )
        }
        #expect(pages.0.map(\.documentID) == ["doc-1", "doc-3", "doc-4", "doc-6"])
        #expect(pages.1.map(\.documentID) == ["doc-7", "doc-2", "doc-5", "doc-9"])
        #expect(pages.1.map(\.sequence) == [7, 8, 9, 10])
        #expect(pages.1[2].flags.contains(.tombstone))
        #expect(pages.1[3].remoteAncestor == pages.1[3].revisionID)
        #expect(pages.1[1].remoteAncestor == nil)
        #expect(pages.1[3].bodyByteCount == 15)
    }

    @Test(arguments: EngineKind.allCases)
    func `a revision is found by its earlier and its current sequence`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let first = try room.save("doc", #"{"n":1}"#)
        let other = try room.save("other")
        let second = try room.save("doc", #"{"n":2}"#)
        for sequence in [nil, 0, first.sequence, other.sequence, second.sequence, .max] {
            let found = try room.store.read { reader in
                try reader.revision("doc", second.revisionID, in: .default, at: sequence)
            }
            #expect(found?.body == second.body, "sequence \(sequence ?? 0)")
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a history ends at the revisions that the peer has`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        var ids: [RevisionID] = []
        for number in 1...6 { ids.append(try room.save("doc", #"{"n":\#(number)}"#).revisionID) }
        try room.save("single")
        try room.store.read { reader in
            func history(limit: Int, known: Set<RevisionID>) throws -> [RevisionID] {
                try reader.history(of: "doc", ids[5], in: .default, limit: limit, known: known)
            }
            #expect(try history(limit: 50, known: []) == [ids[4], ids[3], ids[2], ids[1], ids[0]])
            #expect(try history(limit: 50, known: [ids[3], ids[0]]) == [ids[4], ids[3]])
            #expect(try history(limit: 3, known: []) == [ids[4], ids[3]])
            let none = try reader.history(
                of: "single",
                ids[0],
                in: .default,
                limit: 50,
                known: []
            )
            #expect(none == [])
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `reads in a transaction see its earlier changes`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.store.write { writer in
            let body = Array(#"{"n":1}"#.utf8)
            guard case .saved(let first) = try writer.save("doc", in: .default, body: body) else {
                throw Unexpected(outcome: "conflict")
            }
            #expect(try writer.document("doc", in: .default) == first)
            try writer.markKnown("doc", first.revisionID, at: remote, in: .default)
            #expect(
                try writer.remoteAncestor(of: "doc", at: remote, in: .default)
                    == first.revisionID
            )
            try writer.purge("doc", in: .default)
            #expect(try writer.document("doc", in: .default) == nil)
        }
    }
}
