import DivanCompression
import DivanJSON
import DivanLZ4
import DivanRevisions
import DivanSQL
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
// How a body is stored in its row is not public.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Bodies that are packed in the file, and plain everywhere else.
@Suite struct PackedBodyTests {
    private struct Undone: Error {}

    @Test(arguments: [false, true])
    func `compressed bodies are read back unchanged and take less space`(isSealed: Bool) throws {
        let room = try PackedStoreFixture(isSealed: isSealed)
        try room.pack()
        let routes = PackedStoreFixture.routes(0..<300)
        for numbers in [0..<10, 10..<64, 64..<300] {
            try room.save(routes.filter { numbers.contains(Int($0.key.dropFirst(6)) ?? 0) })
        }
        var bodies = routes
        bodies["empty"] = Array("{}".utf8)
        bodies["long"] = Array(#"{"text":"\#(String(repeating: "длинный ", count: 90_000))"}"#.utf8)
        bodies["noise"] = Self.noise(seed: 5, count: 900)
        try room.save(bodies.filter { !$0.key.hasPrefix("route") })
        #expect(try room.bodies() == bodies)
        // The first ones were saved before there was a dictionary.
        #expect((230...238).contains(try room.packedCount()))
        try room.reopen()
        #expect(try room.bodies() == bodies)
        #expect(try room.store.inspect().damages.isEmpty)
        try room.store.checkIntegrity()
        let packed = try room.look().integer(
            "SELECT sum(length(body)) FROM docs_1 WHERE typeof(body) = 'blob' AND bodyByteCount < 2000"
        )
        let plain = try room.look().integer(
            "SELECT sum(bodyByteCount) FROM docs_1 WHERE typeof(body) = 'blob' AND bodyByteCount < 2000"
        )
        #expect(try #require(packed) * 2 < #require(plain))
    }

    /// A string of characters without repetition.
    private static func noise(seed: UInt64, count: Int) -> [UInt8] {
        var dice = Dice(seed: seed)
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        return Array(#"{"x":""#.utf8) + (0..<count).map { _ in dice.pick(letters) }
            + Array(#""}"#.utf8)
    }

    @Test func `rows and SQL functions mark a compressed body with the same byte`() {
        #expect(SQLFunctions.packedMark == PackedBody.mark)
    }

    @Test func `random documents are read back unchanged`() throws {
        let seed = TestSeed.choose(below: 1_000_000)
        var dice = Dice(seed: seed)
        let room = try PackedStoreFixture()
        try room.save(PackedStoreFixture.routes(0..<70))
        try room.pack()
        var bodies = PackedStoreFixture.routes(0..<70)
        for round in 0..<20 {
            var some: [String: [UInt8]] = [:]
            for _ in 0..<30 {
                let body = try DocumentMaker.document(&dice).canonicalBytes()
                some["d\(dice.number(in: 0...99))"] = body
            }
            if round % 7 == 3 { try room.pack(round % 2 == 0 ? PackedStoreFixture.lz4 : nil) }
            if round % 5 == 4 { try room.store.compact() }
            try room.save(some)
            bodies.merge(some) { $1 }
            #expect(try room.bodies() == bodies, "seed \(seed), round \(round)")
        }
        #expect(try room.store.inspect().damages.isEmpty, "seed \(seed)")
    }

    @Test func `compacting compresses or decompresses existing bodies`() throws {
        let room = try PackedStoreFixture()
        let bodies = PackedStoreFixture.routes(0..<1_500)
        try room.save(bodies)
        #expect(try room.packedCount() == 0)
        try room.pack()
        #expect(try room.packedCount() == 0)
        try room.store.compact()
        #expect(try room.packedCount() == 1_500)
        #expect(try room.bodies() == bodies)
        #expect(try room.dictionaries().count == 1)

        // Remade; the old one is removed with the last row that used it.
        try room.pack()
        #expect(try room.dictionaries().count == 2)
        try room.store.compact()
        #expect(try room.dictionaries() == ["2"])
        #expect(try room.bodies() == bodies)

        try room.pack(nil)
        #expect(try room.packedCount() == 1_500)
        #expect(try room.bodies() == bodies)
        try room.store.compact()
        #expect(try room.packedCount() == 0)
        #expect(try room.dictionaries().isEmpty)
        #expect(try room.bodies() == bodies)
        try room.store.checkIntegrity()
        #expect(try room.store.inspect().damages.isEmpty)
    }

    @Test func `a dictionary is discarded if its transaction is rolled back`() throws {
        let room = try PackedStoreFixture()
        try room.pack()
        let (one, other) = (
            PackedStoreFixture.routes(0..<100), PackedStoreFixture.routes(500..<700)
        )
        #expect(throws: Undone.self) {
            try room.store.write { writer in
                for (id, body) in one {
                    _ = try writer.save(DocumentID(checking: id), in: .default, body: body)
                }
                throw Undone()
            }
        }
        #expect(try room.dictionaries().isEmpty)
        try room.save(other)
        #expect(try room.dictionaries() == ["1"])
        #expect(try room.bodies() == other)
        #expect(try room.packedCount() > 100)
    }

    @Test func `older versions refuse only databases that use compression`() throws {
        let room = try PackedStoreFixture()
        try room.save(PackedStoreFixture.routes(0..<100))
        #expect(try room.look().integer("PRAGMA user_version") == 4)
        #expect(try room.store.read { try $0.bodyPacking(of: .default) } == nil)
        try room.pack()
        #expect(try room.look().integer("PRAGMA user_version") == 6)
        #expect(try room.store.read { try $0.bodyPacking(of: .default) } == PackedStoreFixture.lz4)
        try room.store.upgradeToVersionVectors()
        #expect(try room.look().integer("PRAGMA user_version") == 6)
        let body = PackedStoreFixture.routes(100..<101)
        try room.save(body)
        #expect(try room.body("route-100") == body["route-100"])
    }

    @Test func `a database in memory stores the setting but does not compress bodies`() throws {
        let store = Store.inMemory()
        let body = Array(#"{"a":1}"#.utf8)
        try store.write { writer in
            try writer.packBodies(of: .default, with: PackedStoreFixture.lz4)
            _ = try writer.save("a", in: .default, body: body)
        }
        #expect(try store.read { try $0.bodyPacking(of: .default) } == PackedStoreFixture.lz4)
        #expect(try store.read { try $0.document("a", in: .default)?.body } == body)
    }

    @Test func `deleting a collection deletes its dictionary`() throws {
        let room = try PackedStoreFixture()
        try room.pack()
        try room.save(PackedStoreFixture.routes(0..<100))
        #expect(try room.dictionaries().count == 1)
        try room.store.deleteCollection(.default)
        #expect(try room.dictionaries().isEmpty)
        #expect(try room.store.read { try $0.bodyPacking(of: .default) } == nil)
        let bodies = PackedStoreFixture.routes(0..<100, seed: 3)
        try room.save(bodies)
        try room.pack()
        try room.store.compact()
        // Numbers are not reused.
        #expect(try room.dictionaries() == ["2"])
        #expect(try room.bodies() == bodies)
    }

    @Test func `a missing codec is reported and not treated as damage`() throws {
        let room = try PackedStoreFixture()
        try room.save(PackedStoreFixture.routes(0..<100))
        try room.pack()
        try room.store.compact()
        try room.store.close()
        let store = try Store.open(directory: room.directory)
        defer { try? store.close() }
        let code = try refusal {
            _ = try store.read { try $0.document("route-1", in: .default) }
        }
        #expect(code == .unknownCodec(number: PackedStoreFixture.lz4))
        // What the program lacks is not damage: nothing is left out because of it.
        #expect(try refusal { _ = try store.usage() } == code)
        #expect(try refusal { try store.compact() } == code)
        let refused = try refusal {
            try store.write { try $0.packBodies(of: .default, with: 77) }
        }
        #expect(refused == .unknownCodec(number: 77))
    }

    /// A codec whose library gets no memory.
    private struct Starved: DictionaryCodec {
        let name = "starved"
        let dictionaryByteCount = 65_536

        func maximumPlainByteCount(for packedByteCount: Int) -> Int { .max }

        func makeCoder(
            dictionary: [UInt8]
        ) throws(CompressionError) -> any DictionaryCoder {
            throw .library(codec: name, code: 64)
        }
    }

    @Test func `a body is not reported as damaged if there is no memory to decompress it`() throws {
        let room = try PackedStoreFixture()
        try room.save(PackedStoreFixture.routes(0..<200))
        try room.pack()
        try room.store.compact()
        #expect(try room.packedCount() > 100)
        try room.store.close()
        let options = StoreOptions(
            create: false,
            readOnly: true,
            packing: BodyPacking([.init(PackedStoreFixture.lz4, Starved())])
        )
        let store = try Store.open(directory: room.directory, options: options)
        defer { try? store.close() }
        let code = try refusal {
            _ = try store.read { try $0.document("route-7", in: .default) }
        }
        guard case .sqlite(7, _)? = code else {
            Issue.record("\(String(describing: code))")
            return
        }
    }

    @Test(arguments: [false, true])
    func `a copy of a compressed database is complete, with indexes and another key`(
        isSealed: Bool
    ) throws {
        let room = try PackedStoreFixture(isSealed: isSealed)
        let bodies = PackedStoreFixture.routes(0..<200)
        try room.save(bodies)
        try room.pack()
        try room.store.compact()
        try PackedQueryTests.makeIndexes(room.store)
        try room.store.compact()
        let target = room.home.file("b.cblite2")
        try Store.copy(
            directory: room.directory,
            to: target,
            sealing: room.options.sealing,
            packing: PackedStoreFixture.packing
        )
        let copy = try Store.open(directory: target, options: room.options)
        defer { try? copy.close() }
        #expect(try copy.inspect().damages.isEmpty)
        try copy.changeSealing(to: isSealed ? nil : TestSealing(2))
        #expect(try copy.inspect().damages.isEmpty)
        try copy.checkIntegrity()
        #expect(
            try copy.read { try $0.document("route-7", in: .default)?.body } == bodies["route-7"]
        )
    }
}
