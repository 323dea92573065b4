import DivanLZ4
import DivanRevisions
import DivanTestKit
import Testing

// Bytes of packed bodies are changed where no public call reaches.
@testable import DivanStore

/// Packed bodies and dictionaries that are not what was written: an error with the document's name, and
/// never a trap.
@Suite struct PackedDamageTests {
    private func packed() throws -> PackedRoom {
        let room = try PackedRoom()
        try room.save(PackedRoom.routes(0..<100))
        try room.pack()
        try room.store.compact()
        try room.store.close()
        return room
    }

    /// What reading a document of the changed file gives.
    private func outcome(_ room: PackedRoom, _ id: String) throws -> StoreError.Code? {
        try room.reopen()
        defer { try? room.store.close() }
        return try refusal { _ = try room.body(id) }
    }

    private func isDamaged(_ code: StoreError.Code?) -> Bool {
        if case .damagedDocument = code { true } else { false }
    }

    @Test func `a dictionary that is missing or damaged makes its documents damaged`() throws {
        for change in [
            "DELETE FROM \"values\" WHERE space = 'dictionaries'",
            "UPDATE \"values\" SET value = x'0201' || value WHERE space = 'dictionaries'",
            "UPDATE \"values\" SET value = x'', checksum = divan_checksum(space, key, x'') "
                + "WHERE space = 'dictionaries'",
        ] {
            let room = try packed()
            try room.look().execute(change)
            #expect(isDamaged(try outcome(room, "route-3")), "\(change)")
            try room.reopen()
            #expect(try room.store.inspect().damages.count >= 100)
            // Work goes on beside it.
            try room.save(PackedRoom.routes(200..<300))
            #expect(try room.body("route-250") != nil)
            #expect(throws: (any Error).self) {
                try PackedQueryTests.rows("SELECT SUM(distance) FROM _", room.store)
            }
            try room.store.compact()
        }
    }

    @Test func `a changed bit of a packed body is told`() throws {
        let room = try packed()
        let seed = UInt64.random(in: 0...999_999)
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

    /// Behind the checksum, which would tell all of it.
    @Test func `any bytes are unpacked or refused`() throws {
        let room = try packed()
        let look = try room.look()
        let find = try look.prepare("SELECT body FROM docs_1")
        var sound: [[UInt8]] = []
        while try find.step() { sound.append(find.bytes(0)) }
        let seed = UInt64.random(in: 0...999_999)
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
    func `a length that cannot be takes no memory`(count: Int64) throws {
        let room = try packed()
        let look = try room.look()
        let head = PackedBody.head(dictionary: 1, plainByteCount: Int(count))
        let body = head + [UInt8](repeating: 0, count: 40)
        body.withUnsafeBufferPointer { body in
            #expect(throws: SQLiteBodies.Failure.self) { try look.bodies.plain(body) }
            #expect(look.bodies.text(of: body) == nil)
        }
    }

    @Test func `what can be read of a damaged file is packed in the new one`() throws {
        let room = try packed()
        let file = room.directory + "/db.sqlite3"
        var bytes = try contents(file)
        for place in 0..<4_096 { bytes[place] = 0x5A }
        try write(bytes, to: file)
        let salvage = try Store.rebuild(
            directory: room.directory,
            by: room.home.file("new.cblite2"),
            keepingOldAt: { room.home.file("old-\($0).cblite2") },
            options: room.options,
            completing: { _ in }
        )
        #expect(salvage.documentCount == 100)
        try room.reopen()
        #expect(try room.bodies() == PackedRoom.routes(0..<100))
        #expect(try room.store.read { try $0.bodyPacking(of: .default) } == PackedRoom.lz4)
        #expect(try room.packedCount() > 20)
    }
}
