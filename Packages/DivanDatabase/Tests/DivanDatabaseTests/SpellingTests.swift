import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Testing

/// Names that Unicode calls equivalent and whose bytes differ.
@Suite struct SpellingTests {
    /// One letter in the order of the bytes of its spellings.
    private static let spellings: [DocumentID] = ["A\u{30A}", "\u{C5}", "\u{212B}"]

    private func filled(_ kind: EngineKind) throws -> StoreFixture {
        let room = try StoreFixture(kind)
        for (number, id) in Self.spellings.enumerated() { try room.save(id, #"{"n":\#(number)}"#) }
        return room
    }

    @Test(arguments: EngineKind.allCases)
    func `canonically equivalent IDs are different documents in every operation`(
        _ kind: EngineKind
    ) throws {
        let room = try filled(kind)
        #expect(try room.count() == 3)
        for (number, id) in Self.spellings.enumerated() {
            #expect(try room.document(id)?.text == #"{"n":\#(number)}"#)
        }
        try room.store.read { reader in
            #expect(
                try reader.documentIDs(in: .default, limit: 9) == Self.spellings
                    && reader.documentIDs(in: .default, after: Self.spellings[0], limit: 1)
                        == [Self.spellings[1]]
            )
            let changes = try reader.changes(in: .default, after: 0, limit: 9, remote: nil)
            #expect(changes.map(\.documentID) == Self.spellings)
        }
        let wasThere = try room.store.write { try $0.purge(Self.spellings[1], in: .default) }
        #expect(wasThere)
        #expect(try room.document(Self.spellings[0]) != nil)
        #expect(try room.document(Self.spellings[2]) != nil)
        #expect(try room.count() == 2)
    }

    @Test(arguments: EngineKind.allCases)
    func `a commit reports canonically equivalent IDs separately`(_ kind: EngineKind) throws {
        let room = try filled(kind)
        let notices = Notices()
        let observation = room.store.observe { notices.add($0) }
        defer { observation.cancel() }
        try room.store.write { _ in
            for round in 0..<2 {
                for id in Self.spellings { try room.save(id, #"{"round":\#(round)}"#) }
            }
        }
        #expect(notices.take().flatMap(\.changes).map(\.documentID) == Self.spellings)
    }

    @Test(arguments: EngineKind.allCases)
    func `metadata keys that are canonically equivalent are separate`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let names = Self.spellings.map(\.text)
        try room.store.write { writer in
            for (number, name) in names.enumerated() {
                try writer.setMetadata(name, [UInt8(number)])
            }
        }
        try room.store.read { reader in
            for (number, name) in names.enumerated() {
                let kept = try reader.metadata(name)
                #expect(kept == [UInt8(number)])
            }
        }
    }

    @Test func `directories whose names differ only in their bytes are different databases`() throws
    {
        let home = try TemporaryDirectory()
        let stores = try Self.spellings.map { name in
            try Store.open(directory: home.file("\(name).cblite2"))
        }
        defer { for store in stores { try? store.close() } }
        try stores[0].write { _ = try $0.save("a", in: .default, body: Array("{}".utf8)) }
        let counts = try stores.map { try $0.read { try $0.count(in: .default) } }
        #expect(counts == [1, 0, 0])
        #expect(Set(stores.map(\.privateUUID)).count == 3)
    }

    @Test(arguments: EngineKind.allCases)
    func `an index whose name starts with a combining mark is listed and dropped`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let name: ExactText = "\u{301}accent"
        let text = try QueryExpression(sql: "text").checked(over: .standard)
        let definition = QueryIndexDefinition.value([CheckedKey(text)], filter: nil)
        try room.store.write { try $0.createIndex(name, definition, in: .default) }
        #expect(try room.store.read { try $0.indexes(in: .default).map(\.name) } == [name])
        try room.store.write { try $0.deleteIndex(name, in: .default) }
        #expect(try room.store.read { try $0.indexes(in: .default) } == [])
    }

    @Test(arguments: EngineKind.allCases, ["'\u{301}", "it'\u{301}s'\u{20DD}", "''\u{301}'"])
    func `the condition of an index can contain a quote with a combining mark`(
        _ kind: EngineKind,
        _ word: String
    ) throws {
        let room = try StoreFixture(kind)
        try room.save("a", #"{"n":1,"text":"\#(word)"}"#)
        try room.save("b", #"{"n":2,"text":"other"}"#)
        let condition = QueryExpression(.literal(.string(word)))
        let number = try QueryExpression(sql: "n").checked(over: .standard)
        let filter = CheckedExpression.comparison(
            .equal,
            try QueryExpression(sql: "text").checked(over: .standard),
            try condition.checked(over: .standard),
            .binary
        )
        let definition = QueryIndexDefinition.value([CheckedKey(number)], filter: filter)
        try room.store.write { try $0.createIndex("words", definition, in: .default) }
        try room.save("c", #"{"n":3,"text":"\#(word)"}"#)
        try room.store.checkIntegrity()
    }
}
