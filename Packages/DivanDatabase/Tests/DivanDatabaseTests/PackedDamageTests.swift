import DivanLZ4
import DivanQuery
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Testing

@testable import DivanDatabase
// Bytes of packed bodies are changed where no public call reaches.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Packed bodies and dictionaries that are not what was written cause an error with the document's
/// name, and never a trap.
@Suite struct PackedDamageTests {
    private func packed() throws -> PackedStoreFixture {
        let room = try PackedStoreFixture()
        try room.save(PackedStoreFixture.routes(0..<100))
        try room.pack()
        try room.store.compact()
        try room.store.close()
        return room
    }

    /// The result of reading a document of the changed file.
    private func outcome(_ room: PackedStoreFixture, _ id: String) throws -> StoreError.Code? {
        try room.reopen()
        defer { try? room.store.close() }
        return try refusal { _ = try room.body(id) }
    }

    private func isDamaged(_ code: StoreError.Code?) -> Bool {
        if case .damagedDocument = code { true } else { false }
    }

    /// Three ways to lose a dictionary in one of its tables.
    private static func losses(in table: String) -> [String] {
        [
            "DELETE FROM \(table)",
            "UPDATE \(table) SET value = x'0201' || value",
            "UPDATE \(table) SET value = x'', checksum = divan_checksum(number, x'')",
        ]
    }

    private static let losses = zip(
        losses(in: SQLiteDictionaries.tables[0]),
        losses(in: SQLiteDictionaries.tables[1])
    ).map { ($0, $1) }

    @Test(arguments: 0..<6)
    func `a dictionary lost in one place is read from the other`(loss: Int) throws {
        let room = try packed()
        let (one, other) = Self.losses[loss / 2]
        try room.look().execute(loss % 2 == 0 ? one : other)
        try room.reopen()
        #expect(try room.bodies() == PackedStoreFixture.routes(0..<100))
        let count = "SELECT COUNT(*) FROM _ WHERE distance > 0"
        let scan = try PackedQueryTests.rows(count, room.store)
        #expect(scan == [[.integer(100)]])
        // A compaction rewrites both, so that the other may be lost then.
        try room.store.compact()
        #expect(try room.store.inspect().damages.isEmpty)
        try room.store.close()
        try room.look().execute(loss % 2 == 0 ? other : one)
        try room.reopen()
        #expect(try room.bodies() == PackedStoreFixture.routes(0..<100))
    }

    @Test func `a damaged dictionary is reported and restored by a repair`() throws {
        let room = try packed()
        for (table, name) in zip(
            SQLiteDictionaries.tables,
            ["dictionary 1", "the copy of dictionary 1"]
        ) {
            try room.look().execute("UPDATE \(table) SET value = value || x'00'")
            try room.reopen()
            let damages = try room.store.inspect().damages
            #expect(damages.map(\.detail) == [name + ": compacting recreates it"])
            try room.store.write { try $0.changing().damageRepair?.discardDamagedValues() }
            #expect(try room.store.inspect().damages.isEmpty)
            try room.store.close()
        }
    }

    /// Changes the packed bodies of documents in the file.
    private func damage(_ ids: [String], in room: PackedStoreFixture) throws {
        try room.store.close()
        let bodies = try ids.map { id in
            let find = try room.look().prepare("SELECT body FROM docs_1 WHERE documentID = '\(id)'")
            #expect(try find.step())
            defer { find.reset() }
            return Data(find.bytes(0))
        }
        let file = URL(filePath: room.directory + "/db.sqlite3")
        var bytes = try Data(contentsOf: file)
        for body in bodies {
            let found = try #require(bytes.range(of: body))
            for place in found.dropFirst(body.count / 2).prefix(8) { bytes[place] ^= 0xFF }
        }
        try bytes.write(to: file)
        try room.reopen()
    }

    @Test func `a damaged document with blobs does not prevent the repair of a dictionary`() throws
    {
        let room = try packed()
        try room.reopen()
        let digests = try [[1], [2]].map { try room.store.blobs.write($0) }
        let text = String(repeating: "picture ", count: 20)
        let body = #"{"file":{"@type":"blob","digest":"\#(digests[0])"},"text":"\#(text)"}"#
        let revision = LocalRevision("picture", body: Array(body.utf8), hasBlobs: true)
        _ = try room.store.save(revision, in: .default)
        try damage(["picture"], in: room)
        try room.store.close()
        try room.look().execute("DELETE FROM dictionary_copies")
        try room.reopen()
        let collection = try room.store.compact()
        guard case .damagedDocument("picture", _) = collection.obstacle?.code else {
            throw Unexpected(outcome: "\(collection)")
        }
        #expect(digests.allSatisfy(room.store.blobs.contains))
        let details = try room.store.inspect().damages.map(\.detail)
        #expect(details.allSatisfy { !$0.contains("dictionary") }, "\(details)")
    }

    @Test func `damaged compressed bodies in an indexed collection can be purged one by one`()
        throws
    {
        let room = try packed()
        try room.reopen()
        try PackedQueryTests.makeIndexes(room.store)
        let ids: [DocumentID] = ["route-5", "route-70"]
        try damage(ids.map(\.text), in: room)
        for (place, id) in ids.enumerated() {
            #expect(throws: StoreError.self) { _ = try room.body(id.text) }
            #expect(try room.store.write { try $0.purge(id, in: .default) })
            let count = try room.store.read { try $0.count(in: .default) }
            #expect(count == 99 - place)
        }
        #expect(try room.bodies().count == 98)
        try room.store.checkIntegrity()
    }

    @Test func `damaged compressed bodies in an indexed collection expire like others`() throws {
        let room = try packed()
        try room.reopen()
        try PackedQueryTests.makeIndexes(room.store)
        let ids: [DocumentID] = ["route-5", "route-6", "route-70"]
        try room.store.write { writer in
            for id in ids { try writer.setExpiration(1, of: id, in: .default) }
        }
        try damage(["route-5", "route-70"], in: room)
        #expect(try room.store.purgeExpired(now: 2) == 3)
        #expect(try room.bodies().count == 97)
        try room.store.checkIntegrity()
    }

    /// The scan ends where a sequence is less than the one before, which is not the end.
    @Test func `a damaged sequence does not remove dictionaries that later rows need`() throws {
        let room = try PackedStoreFixture()
        try room.save(PackedStoreFixture.routes(0..<1_200))
        try room.pack()
        try room.store.compact()
        try room.pack()
        try room.store.close()
        let find = try room.look().prepare("SELECT documentID FROM docs_1 WHERE sequence = 600")
        #expect(try find.step())
        let name = find.text(0)
        find.reset()
        let file = URL(filePath: room.directory + "/db.sqlite3")
        var bytes = try Data(contentsOf: file)
        var (rest, changedCount) = (bytes.startIndex..<bytes.endIndex, 0)
        while let found = bytes.range(of: Data(name.utf8), in: rest) {
            rest = found.upperBound..<bytes.endIndex
            // 600 as SQLite writes it, before the head of the row; it becomes 88.
            let before = found.lowerBound - 14..<found.lowerBound
            guard let place = bytes.range(of: Data([0x84, 0x58]), in: before) else { continue }
            bytes[place.lowerBound] = 0x80
            changedCount += 1
        }
        #expect(changedCount == 1)
        try bytes.write(to: file)
        try room.reopen()
        _ = try? room.store.compact()
        let last = try room.store.read { try $0.documents(in: .default, after: 1_190, limit: 20) }
        #expect(last.count == 10)
    }

    @Test func `deleting a collection removes both copies of its dictionaries`() throws {
        let room = try packed()
        try room.reopen()
        try room.store.write { try $0.deleteCollection(.default) }
        #expect(try room.dictionaries().isEmpty)
        #expect(try room.look().integer("SELECT count(*) FROM dictionary_copies") == 0)
    }

    @Test func `documents are damaged if both copies of their dictionary are lost`() throws {
        for (one, other) in Self.losses {
            let change = "\(one); \(other)"
            let room = try packed()
            try room.look().execute(change)
            #expect(isDamaged(try outcome(room, "route-3")), "\(change)")
            try room.reopen()
            let damages = try room.store.inspect().damages
            #expect(damages.count >= 100)
            let tells = damages.contains {
                $0.detail == "dictionary 1 and its copy: bodies compressed with it cannot be read"
            }
            #expect(tells != one.hasPrefix("DELETE"))
            // Work continues despite it.
            try room.save(PackedStoreFixture.routes(200..<300))
            #expect(try room.body("route-250") != nil)
            #expect(throws: (any Error).self) {
                try PackedQueryTests.rows("SELECT SUM(distance) FROM _", room.store)
            }
            try room.store.compact()
        }
    }

    @Test func `a flipped bit in a compressed body is detected`() throws {
        let room = try packed()
        let seed = TestSeed.choose(below: 1_000_000)
        var dice = Dice(seed: seed)
        let look = try room.look()
        for _ in 0..<40 {
            let number = dice.number(in: 0...99)
            let find = try look.prepare("SELECT body FROM docs_1 WHERE documentID = ?")
            try find.bind("route-\(number)", at: 1)
            #expect(try find.step())
            let sound = find.bytes(0)
            find.reset()
            var body = sound
            body[dice.number(in: 0...body.count - 1)] ^= UInt8(1 << dice.number(in: 0...7))
            let put = try look.prepare("UPDATE docs_1 SET body = ? WHERE documentID = ?")
            for (stored, isSound) in [(body, false), (sound, true)] {
                try put.bind(stored, at: 1)
                try put.bind("route-\(number)", at: 2)
                try put.run()
                let code = try outcome(room, "route-\(number)")
                #expect(isSound ? code == nil : isDamaged(code), "seed \(seed): \(body)")
            }
        }
    }

    /// Below the checksum, which would detect all of it.
    @Test func `arbitrary bytes are decompressed or rejected`() throws {
        let room = try packed()
        let look = try room.look()
        let find = try look.prepare("SELECT body FROM docs_1")
        var sound: [[UInt8]] = []
        while try find.step() { sound.append(find.bytes(0)) }
        let seed = TestSeed.choose(below: 1_000_000)
        var dice = Dice(seed: seed)
        var (unpacked, refused) = (0, 0)
        for _ in 0..<20_000 {
            var body = dice.pick(sound)
            for _ in 0..<dice.number(in: 1...3) {
                switch dice.number(in: 0...3) {
                case 0: body = Array(body.prefix(dice.number(in: 0...body.count)))
                case 1: body += [UInt8(dice.number(in: 0...255))]
                case 2 where !body.isEmpty:
                    body[dice.number(in: 0...min(6, body.count - 1))] =
                        UInt8(dice.number(in: 0...255))
                case _ where !body.isEmpty:
                    body[dice.number(in: 0...body.count - 1)] = UInt8(dice.number(in: 0...255))
                default: break
                }
            }
            let text = body.withUnsafeBufferPointer { look.bodies.text(of: $0).map(Array.init) }
            let plain = body.withUnsafeBufferPointer { try? look.bodies.plain($0) }
            #expect(text == plain, "seed \(seed)")
            if plain == nil { refused += 1 } else { unpacked += 1 }
        }
        #expect(refused > 1_000 && unpacked > 1_000, "seed \(seed)")
    }

    @Test(arguments: [Int64.max, 1 << 40, 513 << 20, 1 << 28])
    func `an impossible length allocates no memory`(count: Int64) throws {
        let room = try packed()
        let look = try room.look()
        let head = PackedBody.head(dictionary: 1, plainByteCount: Int(count))
        let body = head + [UInt8](repeating: 0, count: 40)
        body.withUnsafeBufferPointer { body in
            #expect(throws: SQLiteBodies.Failure.self) { try look.bodies.plain(body) }
            #expect(look.bodies.text(of: body) == nil)
        }
    }

    @Test func `documents recovered from a damaged file are compressed in the new one`() throws {
        let room = try packed()
        let file = room.directory + "/db.sqlite3"
        var bytes = try contents(file)
        for place in 0..<4_096 { bytes[place] = 0x5A }
        try write(bytes, to: file)
        let salvage = try room.rebuild()
        #expect(salvage.documentCount == 100)
        try room.reopen()
        #expect(try room.bodies() == PackedStoreFixture.routes(0..<100))
        #expect(try room.store.read { try $0.bodyPacking(of: .default) } == PackedStoreFixture.lz4)
        #expect(try room.packedCount() > 20)
    }

    @Test func `recovery is refused if the codec of some bodies is missing`() throws {
        let room = try packed()
        try room.reopen()
        // What is saved from now on is plain.
        try room.pack(nil)
        try room.save(PackedStoreFixture.routes(100..<110))
        try room.store.close()
        let code = try refusal { _ = try room.rebuild(packing: .none) }
        #expect(code == .unknownCodec(number: PackedStoreFixture.lz4))
        try room.reopen()
        let later = PackedStoreFixture.routes(100..<110)
        #expect(try room.bodies() == PackedStoreFixture.routes(0..<100).merging(later) { $1 })
    }

    @Test func `no single damaged page of a compressed database loses all documents`() throws {
        let room = try PackedStoreFixture()
        let count = 300
        try room.save(PackedStoreFixture.routes(0..<count))
        try room.pack()
        try room.store.compact()
        try room.store.close()
        let file = room.directory + "/db.sqlite3"
        let sound = try contents(file)
        let pageByteCount = SQLiteSchema.pageByteCount
        for page in 0..<sound.count / pageByteCount {
            var bytes = sound
            for place in 0..<pageByteCount { bytes[page * pageByteCount + place] = 0x5A }
            try write(bytes, to: file)
            let salvage = try room.rebuild()
            #expect(salvage.documentCount >= count - 70, "page \(page + 1)")
            try write(sound, to: file)
        }
    }
}
