import CDivanSQLiteEngine
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Testing

// Rows are damaged with the engine's own connection.
@testable import DivanStore

/// The checksum of rows, and every statement that must keep it correct.
@Suite struct ChecksumTests {
    private let home: TemporaryDirectory
    private let path: String
    private let remote = RemoteID(rawValue: 1)
    private var database: String { path + "/db.sqlite3" }

    init() throws {
        home = try TemporaryDirectory()
        path = home.file("a.cblite2")
    }

    @Test func `the hardware and the table implementation give the same checksum`() {
        var generator = SeededGenerator(seed: 7)
        for count in [0, 1, 7, 8, 23, 24, 25, 47, 48, 100, 1_000, 4_099] {
            let bytes = [UInt8].random(count: count, using: &generator)
            let seed = UInt32.random(in: 0...UInt32.max, using: &generator)
            let fast = divan_checksum(seed, bytes, UInt64(count))
            #expect(fast == divan_checksum_slowly(seed, bytes, UInt64(count)), "\(count) bytes")
        }
    }

    /// Files outlive programs, so the checksum is part of the format.
    @Test func `the checksum of known bytes never changes`() {
        let bytes = (0..<100).map { UInt8($0) }
        #expect(divan_checksum(1, bytes, 100) == 3_682_280_210)
        #expect(divan_checksum(2, bytes, 0) == 3_909_876_404)
    }

    @Test func `any change within 32 adjacent bits changes the checksum`() {
        var generator = SeededGenerator(seed: 8)
        let bytes = [UInt8].random(count: 61, using: &generator)
        let whole = divan_checksum(1, bytes, 61)
        for bit in 0..<(61 * 8) {
            for width in [1, 2, 3, 31, 32] where bit + width <= 61 * 8 {
                var changed = bytes
                for flipped in [bit, bit + width - 1] {
                    changed[flipped / 8] ^= 1 << UInt8(flipped % 8)
                }
                guard changed != bytes else { continue }
                #expect(divan_checksum(1, changed, 61) != whole, "bit \(bit), width \(width)")
            }
        }
    }

    @Test func `every operation that changes a row updates its checksum`() throws {
        let store = try Store.open(directory: path)
        let people = try #require(CollectionPath("people"))
        let body = Array(#"{"n":1}"#.utf8)
        try store.write { writer in
            try writer.createCollection(people)
            for id in ["doc-0", "doc-1", "doc-2", "doc-3"] as [DocumentID] {
                _ = try writer.save(id, in: .default, body: body)
            }
            try writer.setMetadata("key", [1, 2, 3])
        }
        try store.checkIntegrity()
        let first = try #require(
            try store.read { try $0.document("doc-0", in: .default) }?.revisionID
        )
        try store.write { try $0.markKnown("doc-0", first, at: remote, in: .default) }
        try store.checkIntegrity()
        for time: Int64? in [5_000_000_000_000, 6_000_000_000_000, nil, 0] {
            try store.write { try $0.setExpiration(time, of: "doc-1", in: .default) }
            try store.checkIntegrity()
        }
        for _ in 0..<3 {
            let saved = try store.save("doc-2", in: .default, body: body)
            guard case .saved(let document) = saved else { throw Unexpected(outcome: "conflict") }
            try store.write {
                try $0.markKnown("doc-2", document.revisionID, at: remote, in: .default)
            }
            try store.checkIntegrity()
        }
        try store.write { _ = try $0.purge("doc-3", in: .default) }
        try store.write { try $0.deleteCollection(people) }
        try store.compact()
        try store.checkIntegrity()
        try store.close()
    }

    @Test(arguments: [
        "UPDATE docs_1 SET flags = flags | 2", "UPDATE docs_1 SET expiration = 7",
        "UPDATE docs_1 SET revisionID = x'0102'", "UPDATE docs_1 SET tree = 1",
        "UPDATE docs_1 SET body = '{\"n\":2}'", "UPDATE docs_1 SET checksum = NULL",
        "UPDATE docs_1 SET sequence = 9", "UPDATE docs_1 SET documentID = 'eve'",
        "UPDATE docs_1 SET body = CAST(body AS BLOB)", "UPDATE docs_1 SET flags = flags + 256",
        "UPDATE collections SET lastSequence = 7", "UPDATE collections SET name = 'other'",
        "UPDATE collections SET liveCount = 7", "UPDATE collections SET uncheckedThrough = 7",
        #"UPDATE "values" SET value = x'00'"#, #"UPDATE "values" SET key = key || 'x'"#,
        #"UPDATE "values" SET checksum = NULL"#,
    ])
    func `a change to any column of any table is detected`(_ change: String) throws {
        let store = try Store.open(directory: path)
        _ = try store.save("doc", in: .default, body: Array(#"{"n":1}"#.utf8))
        try store.close()
        try StoreConnection(path: database, mode: .readWrite).execute(change)
        #expect(throws: StoreError.self, "\(change)") {
            let damaged = try Store.open(directory: path)
            defer { try? damaged.close() }
            try damaged.checkIntegrity()
        }
    }
}
