import DivanRevisions
import DivanStore
import Testing

/// Old bodies that somebody holds as sources of deltas.
@Suite struct DeltaSourceTests {
    private static let text = String(repeating: "words that stay as they are. ", count: 40)

    private func body(_ number: Int) -> String { #"{"n":\#(number),"text":"\#(Self.text)"}"# }

    /// The revisions of a document that was saved `count` times.
    private func edit(_ room: Room, _ numbers: ClosedRange<Int>) throws -> [RevisionID] {
        try numbers.map { try room.save("doc", body($0)).revisionID }
    }

    private func bodies(_ room: Room, _ revisions: [RevisionID]) throws -> [String?] {
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
        let room = try Room(kind)
        let hold = room.store.holdDeltaSources()
        let revisions = try edit(room, 1...5)
        #expect(try bodies(room, revisions) == [nil] + (2...5).map { body($0) })
        withExtendedLifetime(hold) {}
    }

    @Test(arguments: EngineKind.allCases)
    func `without a hold, or after it, only the current body stays`(_ kind: EngineKind) throws {
        let room = try Room(kind)
        var hold: DeltaSourceHold? = room.store.holdDeltaSources()
        let held = try edit(room, 1...3)
        withExtendedLifetime(hold) {}
        hold = nil
        let revisions = held + (try edit(room, 4...4))
        #expect(try bodies(room, revisions) == [nil, nil, nil, body(4)])
    }

    @Test func `held bodies take few bytes`() throws {
        let engine = MemoryEngine()
        let store = try Store(engine: engine)
        let hold = store.holdDeltaSources()
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

    /// Revisions that a peer pushes replace bodies as saves do.
    @Test func `a hold keeps what a push replaces`() throws {
        let room = try Room(.memory)
        let hold = room.store.holdDeltaSources()
        let first = try edit(room, 1...1)[0]
        try room.insert("doc", "2-bb", history: ["\(first)"], body: body(2), remote: nil)
        #expect(try bodies(room, [first]) == [body(1)])
        withExtendedLifetime(hold) {}
    }
}
