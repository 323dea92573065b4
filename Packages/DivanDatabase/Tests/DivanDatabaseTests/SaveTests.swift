import DivanDatabase
import DivanRevisions
import DivanTestKit
import Testing

/// Local saves: revision IDs, parents, tombstones, counters.
@Suite struct SaveTests {
    /// 50 MB, as the current body and as an old one that is kept for deltas.
    @Test(arguments: EngineKind.allCases)
    func `a body of 50 MB is stored and read back`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let head = Array(#"{"text":""#.utf8)
        let body = head + [UInt8](repeating: 0x61, count: 50 << 20) + Array(#""}"#.utf8)
        let received = RemoteRevision(
            documentID: "large",
            revisionID: try revision("1-aa"),
            body: body,
            remote: RemoteID(rawValue: 1)
        )
        _ = try room.store.write { try $0.insert(received, in: .default) }
        #expect(try room.document("large")?.body == body)
        try room.save("large", #"{"text":"short"}"#)
        let old = try revision("1-aa")
        let kept = try room.store.read { try $0.revision("large", old, in: .default) }
        #expect(kept?.body == body)
        #expect(try room.document("large")?.text == #"{"text":"short"}"#)
    }

    private struct Vectors: Decodable {
        struct Case: Decodable {
            let parentRevID: String?
            let deleted: Bool
            let canonicalBody: String
            let revID: String
        }
        let litecore: [Case]
    }

    /// Each vector is saved after its parent, which is inserted as a received revision.
    @Test(arguments: EngineKind.allCases)
    func `creates the same revision IDs as Couchbase Lite`(_ kind: EngineKind) throws {
        let vectors = try Fixture("revids.json").decoded(as: Vectors.self).litecore
        #expect(vectors.count >= 4)
        let room = try StoreFixture(kind)
        for (index, vector) in vectors.enumerated() {
            let documentID = "doc-\(index)"
            if let parent = vector.parentRevID {
                try room.insert(DocumentID(unchecked: documentID), parent)
            }
            let saved = try room.save(
                DocumentID(unchecked: documentID),
                vector.canonicalBody,
                isTombstone: vector.deleted
            )
            #expect(saved.revisionID.description == vector.revID)
            #expect(try room.document(DocumentID(unchecked: documentID)) == saved)
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `keeps a body byte for byte`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let body = #"{"a":"é\u0001","z":[1,2.5,null,{"":"\""}]}"#
        try room.save("doc", body)
        #expect(try room.document("doc")?.text == body)
    }

    @Test(arguments: EngineKind.allCases)
    func `the last write wins unless a parent is given`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let first = try room.save("doc", #"{"n":1}"#)
        let second = try room.save("doc", #"{"n":2}"#)
        #expect(second.revisionID.generation == 2 && second.sequence == 2)

        let stale = try room.store.write { writer in
            try writer.save(
                "doc",
                in: .default,
                body: Array("{}".utf8),
                parent: .revision(first.revisionID)
            )
        }
        #expect(stale == .conflict(second))
        let surprising = try room.store.write { writer in
            try writer.save("doc", in: .default, body: Array("{}".utf8), parent: .revision(nil))
        }
        #expect(surprising == .conflict(second))
        let third = try room.save("doc", "{}", parent: .revision(second.revisionID))
        #expect(third.revisionID.generation == 3)
    }

    @Test(arguments: EngineKind.allCases)
    func `a save based on a purged document is a conflict`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let saved = try room.save("doc")
        try room.store.write { _ = try $0.purge("doc", in: .default) }
        let outcome = try room.store.write { writer in
            try writer.save(
                "doc",
                in: .default,
                body: Array("{}".utf8),
                parent: .revision(saved.revisionID)
            )
        }
        #expect(outcome == .conflict(nil))
    }

    @Test(arguments: EngineKind.allCases)
    func `a deleted document is hidden, and a later save continues its tombstone`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        try room.save("doc", #"{"n":1}"#)
        let tombstone = try room.save("doc", isTombstone: true)
        #expect(tombstone.isTombstone)
        #expect(try room.store.read { try $0.document("doc", in: .default) } == nil)
        #expect(try room.document("doc") == tombstone)
        #expect(try room.count() == 0)

        let revived = try room.save("doc", #"{"n":2}"#, parent: .revision(nil))
        #expect(revived.revisionID.generation == 3 && !revived.isTombstone)
        #expect(try room.count() == 1)
    }

    @Test(arguments: EngineKind.allCases)
    func `purging removes the document but does not reuse its sequence`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.save("a")
        try room.save("b")
        let purged = try room.store.write { writer in
            (try writer.purge("b", in: .default), try writer.purge("b", in: .default))
        }
        #expect(purged == (true, false))
        #expect(try room.document("b") == nil)
        #expect(try room.count() == 1)
        #expect(try room.save("c").sequence == 3)
        #expect(try room.save("b").revisionID.generation == 1)
    }

    @Test(arguments: ["_id", "_rev", "_deleted", ""])
    func `rejects a reserved or empty key`(_ key: String) throws {
        let room = try StoreFixture(.memory)
        let bodies = [#"{"\#(key)":1}"#, #"{"\#(key)":{"x":[1]},"b":"_"}"#]
        for body in bodies {
            let code = try refusal { try room.save("doc", body) }
            #expect(code == .forbiddenKey(documentID: "doc", key: key))
        }
        let others = [#"{"a":{"\#(key)":1}}"#, #"{"a":["\#(key)"]}"#, #"{"_\#(key)":1,"__id":2}"#]
        for body in others { try room.save("doc", body) }
        #expect(try room.store.read { try $0.lastSequence(in: .default) } == 3)
    }

    @Test(arguments: EngineKind.allCases)
    func `accepts the longest and most unusual document IDs`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let documentIDs: [DocumentID] = try [
            String(repeating: "é", count: 120), "a_b", " ", "'; DROP TABLE docs_1; --", "%_",
            "\u{212B}", "\u{C5}", "A\u{30A}", "東京😀",
        ].map { try DocumentID(checking: $0) }
        for documentID in documentIDs { try room.save(documentID, #"{"id":1}"#) }
        #expect(try room.count() == documentIDs.count)
        for (index, documentID) in documentIDs.enumerated() {
            #expect(try room.document(documentID)?.sequence == UInt64(index + 1))
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `drops the bodies of ancestors and prunes the tree`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        var ids: [RevisionID] = []
        for number in 1...60 { ids.append(try room.save("doc", #"{"n":\#(number)}"#).revisionID) }
        let tree = try #require(try room.store.read { try $0.tree(of: "doc", in: .default) })
        #expect(tree.revisions.count == StoreLimits.treeDepth)
        #expect(tree.current?.id == ids[59])
        #expect(!tree.contains(ids[9]) && tree.contains(ids[10]))
        let (old, current) = try room.store.read { reader in
            (
                try reader.revision("doc", ids[50], in: .default),
                try reader.revision("doc", ids[59], in: .default)
            )
        }
        #expect(old == nil)
        #expect(current?.body == Array(#"{"n":60}"#.utf8))
    }

    @Test(arguments: EngineKind.onDisk)
    func `refuses to edit a revision of the highest generation`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.insert("doc", "4294967295-ab")
        let code = try refusal { try room.save("doc") }
        guard case .badRevision("doc", .generationOverflow) = code else {
            throw Unexpected(outcome: "\(String(describing: code))")
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `lists live documents in pages`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        for name in ["b", "a", "d", "c"] as [DocumentID] {
            try room.save(name, #"{"name":"\#(name)"}"#)
        }
        try room.save("c", isTombstone: true)
        let (first, second, bodies) = try room.store.read { reader in
            (
                try reader.documentIDs(in: .default, limit: 2),
                try reader.documentIDs(in: .default, after: "b", limit: 2),
                try reader.documents(in: .default, after: 2, limit: 9)
            )
        }
        #expect(first == ["a", "b"] && second == ["d"])
        #expect(bodies.map(\.documentID) == ["d", "c"] && bodies[0].text == #"{"name":"d"}"#)
    }

    /// Otherwise nobody could push or pull what was saved.
    @Test func `rejects more blobs than a peer accepts, and counts each blob once`() throws {
        let room = try StoreFixture(.memory)
        func body(_ count: Int, twice: Bool = false) -> String {
            let places = (0..<count).map { number in
                let digest = BlobDigest(hashing: Array("\(number)".utf8).span)
                let place = #"{"@type":"blob","digest":"\#(digest)"}"#
                return twice ? "\(place),\(place)" : place
            }
            return #"{"all":[\#(places.joined(separator: ","))]}"#
        }
        let limit = StoreLimits.documentBlobsCount
        try room.save("a", body(limit, twice: true))
        let thrown = #expect(throws: StoreError.self) { try room.save("b", body(limit + 1)) }
        #expect(thrown?.code == .tooManyBlobs(documentID: "b", count: limit + 1, limit: limit))
        let text = "\(try #require(thrown))"
        #expect(text.contains("references 10001 blobs, the limit is 10000; split it"))
    }
}
