import DivanDatabase
import DivanRevisions
import DivanTestKit
import Testing

/// What remotes refused is remembered as long as it applies, and no longer.
@Suite struct RefusalTests {
    private let remote = RemoteID(rawValue: 1)
    private let other = RemoteID(rawValue: 12)

    private func refusal(
        of document: StoredDocument,
        _ message: String = "no"
    ) -> Refusal {
        Refusal(
            documentID: document.documentID,
            revisionID: document.revisionID,
            sequence: document.sequence,
            domain: 6,
            code: 403,
            message: message,
            time: 1_700_000_000
        )
    }

    private func note(
        _ refusals: [Refusal],
        _ room: StoreFixture,
        at remote: RemoteID? = nil
    ) throws {
        try room.store.write {
            try $0.note(refusals, at: remote ?? self.remote, in: .default)
        }
    }

    private func listed(_ room: StoreFixture, at remote: RemoteID? = nil) throws -> [Refusal] {
        try room.store.read { try $0.refusals(in: .default, at: remote ?? self.remote) }
    }

    private func hasAny(_ room: StoreFixture) throws -> Bool {
        try room.store.read { try $0.hasRefusals(in: .default, at: remote) }
    }

    @Test(arguments: EngineKind.allCases)
    func `a refusal is stored for its remote with the reason`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        // Names that contain what separates the parts of a key.
        let ids: [DocumentID] = ["a", "1/1/b", "\u{301}c", "é", "e\u{301}"]
        let noted = try ids.map { refusal(of: try room.save($0), "reason of \($0)\0tail") }
        try note(noted, room)
        let found = try listed(room)
        #expect(found.count == ids.count)
        for refusal in noted { #expect(found.contains(refusal)) }
        #expect(try listed(room, at: other).isEmpty)
        #expect(try listed(room, at: RemoteID(rawValue: 2)).isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `refusals of changed, purged or delivered documents are removed`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let ids: [DocumentID] = ["changed", "deleted", "purged", "again", "delivered", "kept"]
        let noted = try ids.map { refusal(of: try room.save($0)) }
        try note(noted, room)
        try room.save("changed", #"{"n":1}"#)
        try room.save("deleted", isTombstone: true)
        try room.store.write { writer in
            try writer.purge("purged", in: .default)
            try writer.purge("again", in: .default)
            try writer.markKnown("delivered", noted[4].revisionID, at: remote, in: .default)
        }
        // The same revision, but another document: it is pushed like any new one.
        #expect(try room.save("again").revisionID == noted[3].revisionID)
        #expect(try listed(room).map(\.documentID) == ["kept"])
        let kept = try room.store.write { try $0.pruneRefusals(in: .default, at: remote) }
        #expect(kept == [noted[5]])
        #expect(try hasAny(room))
        try room.save("kept", #"{"n":1}"#)
        try room.store.write { _ = try $0.pruneRefusals(in: .default, at: remote) }
        #expect(try !hasAny(room))
    }

    @Test func `refusals are kept when the database is closed`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("room.cblite2")
        let first = try Store.open(directory: path, options: StoreOptions())
        let saved = try first.write { writer in
            try writer.save("a", in: .default, body: Array("{}".utf8))
        }
        guard case .saved(let document) = saved else { throw Unexpected(outcome: "\(saved)") }
        try first.write { try $0.note([refusal(of: document)], at: remote, in: .default) }
        try first.close()
        let second = try Store.open(directory: path, options: StoreOptions())
        defer { try? second.close() }
        let found = try second.read { try $0.refusals(in: .default, at: remote) }
        #expect(found == [refusal(of: document)])
    }

    @Test(arguments: EngineKind.allCases)
    func `failed pulls are listed apart from refusals until they are forgotten`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let stored = try room.save("stored")
        var failures = ["a", "stored"].map { id in
            var failure = refusal(of: stored)
            failure.documentID = DocumentID(unchecked: id)
            return failure
        }
        // A document from elsewhere with a sequence that is not a number.
        (failures[0].sequence, failures[0].message) = (0, "broken")
        func failed() throws -> [Refusal] {
            try room.store.read { try $0.failedPulls(in: .default, from: remote) }
        }
        try room.store.write {
            try $0.noteFailedPulls(failures, from: remote, in: .default)
            try $0.note([refusal(of: stored)], at: remote, in: .default)
        }
        #expect(try failed() == [failures[0]], "the revision of the other is here")
        #expect(try listed(room) == [refusal(of: stored)])
        try room.store.write {
            try $0.forgetFailedPulls(of: ["a", "stored", "none"], from: remote, in: .default)
        }
        #expect(try failed().isEmpty)
        #expect(try listed(room) == [refusal(of: stored)])
    }

    @Test func `a long reason is truncated between characters`() throws {
        let room = try StoreFixture(.memory)
        try note([refusal(of: try room.save("a"), String(repeating: "€", count: 200))], room)
        #expect(try listed(room).map(\.message) == [String(repeating: "€", count: 85)])
    }

    @Test func `at the limit existing refusals can be updated, but no new ones are added`() throws {
        let room = try StoreFixture(.memory)
        let limit = StoreLimits.refusalCount
        let outcomes = try room.store.write { writer in
            try (0..<limit + 2).map { number in
                let id = DocumentID(unchecked: "d\(number)")
                return try writer.save(id, in: .default, body: Array("{}".utf8))
            }
        }
        let documents = outcomes.compactMap { outcome in
            if case .saved(let document) = outcome { document } else { nil }
        }
        try note(documents.map { refusal(of: $0) }, room)
        try note([refusal(of: documents[0], "again"), refusal(of: documents[limit])], room)
        let found = try listed(room)
        #expect(found.count == limit)
        #expect(found.first { $0.documentID == "d0" }?.message == "again")
        #expect(!found.contains { $0.documentID == documents[limit].documentID })
        // What is removed makes room.
        try room.save("d1", #"{"n":1}"#)
        try room.store.write { _ = try $0.pruneRefusals(in: .default, at: remote) }
        try note([refusal(of: documents[limit])], room)
        #expect(try listed(room).contains { $0.documentID == documents[limit].documentID })
    }

    @Test(arguments: EngineKind.allCases)
    func `deleting a collection removes its refusals and no others`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let path = try #require(CollectionPath(scope: "geo", name: "places"))
        try room.store.createCollection(path)
        let document = try room.save("a")
        try note([refusal(of: document)], room)
        try room.store.write { writer in
            let outcome = try writer.save("b", in: path, body: Array("{}".utf8))
            guard case .saved(let there) = outcome else { throw Unexpected(outcome: "\(outcome)") }
            try writer.note([refusal(of: there)], at: remote, in: path)
        }
        try room.store.write { try $0.deleteCollection(path) }
        try room.store.createCollection(path)
        #expect(try room.store.read { try !$0.hasRefusals(in: path, at: remote) })
        #expect(try listed(room) == [refusal(of: document)])
    }
}
