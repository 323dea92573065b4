import DivanDatabase
import DivanRevisions
import DivanTestKit
import Testing

/// What is reported to a reader about the packing of a collection.
@Suite struct CompressionShareTests {
    private func packedBodies(_ room: PackedStoreFixture) throws -> PackedBodies? {
        try room.store.read { try $0.packedBodies()[.default] }
    }

    @Test func `all documents of a small collection are examined`() throws {
        let room = try PackedStoreFixture()
        try room.save(PackedStoreFixture.routes(0..<100))
        #expect(try packedBodies(room) == nil)
        try room.pack()
        var found = try #require(try packedBodies(room))
        #expect(found.codec == PackedStoreFixture.lz4 && found.dictionaryByteCount > 10_000)
        #expect(found.seenCount == 100 && found.packedCount == 0)

        try room.save(PackedStoreFixture.routes(0..<30, seed: 2))
        // Short bodies stay plain, and tombstones do not count.
        try room.save(["short": Array("{}".utf8)])
        try room.store.write { writer in
            _ = try writer.save(LocalRevision(deleting: "route-99"), in: .default)
        }
        found = try #require(try packedBodies(room))
        #expect(found.seenCount == 100 && found.packedCount == 30)
        try room.store.compact()
        #expect(try packedBodies(room)?.packedCount == 99)
    }

    @Test func `dictionaries that only older rows use are counted`() throws {
        let room = try PackedStoreFixture()
        try room.save(PackedStoreFixture.routes(0..<100))
        try room.pack()
        try room.store.compact()
        let one = try #require(try packedBodies(room))
        #expect(one.allDictionariesByteCount == one.dictionaryByteCount)
        try room.pack()
        let two = try #require(try packedBodies(room))
        #expect(
            two.allDictionariesByteCount == one.dictionaryByteCount + two.dictionaryByteCount
        )

        try room.pack(nil)
        let off = try #require(try packedBodies(room))
        #expect(off.codec == nil && off.dictionaryByteCount == 0 && off.packedCount == 100)
        try room.store.compact()
        #expect(try packedBodies(room) == nil)
    }

    @Test func `a sample of the documents of a large collection is examined`() throws {
        let room = try PackedStoreFixture()
        try room.save(PackedStoreFixture.routes(0..<2_000))
        try room.pack()
        #expect(try packedBodies(room)?.packedCount == 0)
        // A quarter of them is saved again, which leaves their first sequences unused.
        try room.save(PackedStoreFixture.routes(0..<500, seed: 2))
        var found = try #require(try packedBodies(room))
        #expect((200...300).contains(found.seenCount))
        #expect((40...90).contains(found.packedCount), "\(found)")

        // All of them follow twenty thousand unused sequences.
        for _ in 0..<10 { try room.save(PackedStoreFixture.routes(0..<2_000, seed: 3)) }
        found = try #require(try packedBodies(room))
        #expect((200...300).contains(found.seenCount))
        #expect(found.packedCount == found.seenCount)
    }

    @Test func `compression without a dictionary is reported, also in memory`() throws {
        let room = try PackedStoreFixture()
        try room.pack()
        let empty = try #require(try packedBodies(room))
        #expect(empty.codec == PackedStoreFixture.lz4 && empty.allDictionariesByteCount == 0)
        #expect(empty.seenCount == 0)

        let memory = Store.inMemory()
        try memory.write { writer in
            try writer.packBodies(of: .default, with: PackedStoreFixture.lz4)
            _ = try writer.save("a", in: .default, body: Array("{}".utf8))
        }
        let kept = try #require(try memory.read { try $0.packedBodies()[.default] })
        #expect(kept.codec == PackedStoreFixture.lz4 && kept.seenCount == 0)
    }
}
