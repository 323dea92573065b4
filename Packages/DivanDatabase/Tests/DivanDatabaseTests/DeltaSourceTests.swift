import DivanDatabase
import DivanRevisions
import DivanTestKit
import Testing

/// Old bodies that are held as sources of deltas.
@Suite struct DeltaSourceTests {
    private static let text = String(repeating: "words that stay as they are. ", count: 40)

    private func body(_ number: Int) -> String { #"{"n":\#(number),"text":"\#(Self.text)"}"# }

    /// The revisions of a document that was saved `count` times.
    private func edit(_ room: StoreFixture, _ numbers: ClosedRange<Int>) throws -> [RevisionID] {
        try numbers.map { try room.save("doc", body($0)).revisionID }
    }

    private func bodies(_ room: StoreFixture, _ revisions: [RevisionID]) throws -> [String?] {
        try room.store.read { reader in
            try revisions.map { id in
                try reader.revision("doc", id, in: .default).map {
                    String(decoding: $0.body, as: UTF8.self)
                }
            }
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a hold keeps the last three bodies that were replaced`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let hold = try room.store.holdDeltaSources()
        let revisions = try edit(room, 1...5)
        #expect(try bodies(room, revisions) == [nil] + (2...5).map { body($0) })
        withExtendedLifetime(hold) {}
    }

    @Test(arguments: EngineKind.allCases)
    func `without a hold only the current body is kept`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let revisions = try edit(room, 1...4)
        #expect(try bodies(room, revisions) == [nil, nil, nil, body(4)])
    }

    /// A client received what was current during the hold; it cannot have what was made later.
    @Test(arguments: EngineKind.allCases)
    func `bodies that were current during a hold survive later edits`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        var hold: DeltaSourceHold? = try room.store.holdDeltaSources()
        let held = try edit(room, 1...2)
        withExtendedLifetime(hold) {}
        hold = nil
        let revisions = held + (try edit(room, 3...9))
        let kept = [body(1), body(2)] + [String?](repeating: nil, count: 6) + [body(9)]
        #expect(try bodies(room, revisions) == kept)
    }

    @Test func `bodies that were current during a hold are kept when the database is reopened`()
        throws
    {
        let directory = try TemporaryDirectory()
        let place = directory.file("a.cblite2")
        var store = try Store.open(directory: place)
        func save(_ number: Int) throws -> RevisionID {
            let body = Array(body(number).utf8)
            guard case .saved(let document) = try store.save("doc", in: .default, body: body)
            else { throw Unexpected(outcome: "a conflict") }
            return document.revisionID
        }
        let first = try save(1)
        // Held, and killed: nobody records the end.
        withExtendedLifetime(try store.holdDeltaSources()) {}
        try store.close()
        for number in 2...4 {
            store = try Store.open(directory: place)
            _ = try save(number)
            try store.close()
        }
        store = try Store.open(directory: place)
        let kept = try store.read { try $0.revision("doc", first, in: .default) }
        #expect(kept.map { String(decoding: $0.body, as: UTF8.self) } == body(1))
        try store.close()
    }

    @Test(arguments: EngineKind.allCases)
    func `forgotten delta sources are removed by the next save`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        var hold: DeltaSourceHold? = try room.store.holdDeltaSources()
        let revisions = try edit(room, 1...3)
        try room.store.forgetDeltaSources()
        withExtendedLifetime(hold) {}
        hold = nil
        _ = try edit(room, 4...4)
        #expect(try bodies(room, revisions) == (1...3).map { body($0) })
        try room.store.forgetDeltaSources()
        _ = try edit(room, 5...5)
        #expect(try bodies(room, revisions) == [nil, nil, nil])
    }

    @Test func `a collection created after a hold keeps no old bodies`() throws {
        let room = try StoreFixture(.memory)
        withExtendedLifetime(try room.store.holdDeltaSources()) {}
        let path = try #require(CollectionPath("later"))
        try room.store.createCollection(path)
        var revisions: [RevisionID] = []
        for number in 1...2 {
            let body = Array(body(number).utf8)
            let outcome = try room.store.save("doc", in: path, body: body)
            guard case .saved(let document) = outcome else {
                throw Unexpected(outcome: "\(outcome)")
            }
            revisions.append(document.revisionID)
        }
        #expect(try room.store.read { try $0.revision("doc", revisions[0], in: path) } == nil)
    }

    @Test func `bodies kept by a hold take little space`() throws {
        let engine = MemoryEngine()
        let store = try Store(engine: engine)
        let hold = try store.holdDeltaSources()
        for number in 1...4 {
            let changed = Array(body(number).utf8)
            try store.write { _ = try $0.save("doc", in: .default, body: changed) }
        }
        let row = try engine.read { snapshot in
            let id = try #require(try snapshot.collection(.default))
            return try #require(try snapshot.row("doc", in: id, content: .whole))
        }
        guard case .encoded(let bytes) = row.tree else { throw Unexpected(outcome: "\(row)") }
        #expect(bytes.count < body(1).utf8.count / 4)
        withExtendedLifetime(hold) {}
    }

    /// Revisions that a peer pushes replace bodies like saves do.
    @Test func `a hold keeps bodies that a push replaces`() throws {
        let room = try StoreFixture(.memory)
        let hold = try room.store.holdDeltaSources()
        let first = try edit(room, 1...1)[0]
        try room.insert("doc", "2-bb", history: ["\(first)"], body: body(2), remote: nil)
        #expect(try bodies(room, [first]) == [body(1)])
        withExtendedLifetime(hold) {}
    }
}
