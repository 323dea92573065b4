import DivanDelta
import DivanLZ4
import DivanRevisions
import DivanSQLite
import DivanTestKit
import DivanZlib
import Testing

@testable import DivanDatabase
// How a row is read is not public.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Long documents, whose rows are read with a single copy of the body.
@Suite struct LongRowTests {
    private static let limit = StorageLimits.longBodyByteCount
    private let remote = RemoteID(rawValue: 1)

    /// A body of a size.
    private static func body(_ letter: String, _ byteCount: Int = limit) -> String {
        #"{"t":"\#(String(repeating: letter, count: byteCount - 8))"}"#
    }

    /// A body that is too long for deltas.
    private static func longer(_ letter: String) -> String { body(letter, limit + 1) }

    /// The row of a document, as a long one and as any other.
    private func rows(_ documentID: DocumentID, _ store: Store) throws -> [DocumentRow?] {
        try store.engine.read { snapshot in
            let collection = try #require(try snapshot.collection(.default))
            return [
                try snapshot.longRow(documentID, in: collection),
                try snapshot.row(documentID, in: collection, content: .whole),
            ]
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `the row of a long document equals the row of any document`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let sizes = [9, Self.limit - 1, Self.limit, Self.limit + 1, 3 * Self.limit + 5]
        for (number, size) in sizes.enumerated() {
            let id = DocumentID(unchecked: "d\(number)")
            try room.insert(id, "1-ab", body: Self.body("a", size))
            try room.save(id, Self.body("b", size))
            try room.store.write { try $0.setExpiration(4_000_000_000_000, of: id, in: .default) }
            let rows = try rows(id, room.store)
            #expect(rows[0] == rows[1] && rows[0]?.body.count == size, "\(size) bytes")
        }
        #expect(try rows("none", room.store) == [nil, nil])
    }

    @Test(arguments: [false, true])
    func `the row of a long compressed document has its plain body`(isSealed: Bool) throws {
        let room = try PackedStoreFixture(isSealed: isSealed)
        try room.save(PackedStoreFixture.routes(0..<70))
        try room.pack()
        let body = Array(Self.body("long ").utf8)
        try room.save(["long": body])
        let rows = try rows("long", room.store)
        #expect(rows[0] == rows[1] && rows[0]?.body == body)
        #expect(try room.packedCount() > 0)
    }

    @Test(arguments: EngineKind.allCases)
    func `a long document is replaced by another one`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let first = try room.save("a", Self.body("a"))
        let second = try room.save("a", Self.body("b"))
        #expect(second.revisionID.generation == 2 && second.text == Self.body("b"))
        let outcome = try room.store.save(
            LocalRevision("a", body: second.body, over: .revision(first.revisionID)),
            in: .default
        )
        #expect(outcome == .conflict(second))
        #expect(try room.document("a") == second)
        // Only a remote's revision is kept.
        let old = try room.store.read { try $0.revision("a", first.revisionID, in: .default) }
        #expect(old == nil)
        try room.store.checkIntegrity()
    }

    @Test(arguments: EngineKind.allCases)
    func `the body of a remote's long revision is kept when it is replaced`(
        _ kind: EngineKind
    ) throws {
        let lz4 = BodyArchive(packing: .lz4, deflate: DeflateCodec(), lz4: LZ4Codec())
        for archive in [.deltas, lz4] {
            let room = try StoreFixture(kind, archive: archive)
            try room.insert("a", "1-ab", body: Self.longer("a"))
            try room.save("a", Self.longer("b"))
            try room.save("a", Self.longer("c"))
            #expect(try body(of: "1-ab", in: room) == Array(Self.longer("a").utf8))
            // It arrives again, and changes nothing.
            let current = try room.document("a")
            try room.insert("a", "1-ab", body: Self.longer("a"))
            try room.insert("a", "1-ab", body: Self.longer("a"), remote: nil)
            #expect(try room.document("a") == current && current?.text == Self.longer("c"))
            try room.insert("a", "3-cd", history: ["2-bc", "1-ab"], body: Self.longer("d"))
            let conflict = try room.store.read { try $0.conflict(of: "a", in: .default) }
            #expect(conflict?.base?.body == Array(Self.longer("a").utf8))
            #expect(conflict?.local.body == Array(Self.longer("c").utf8))
            #expect(conflict?.remote.body == Array(Self.longer("d").utf8))
            try room.save("a", Self.longer("e"))
            #expect(try body(of: "3-cd", in: room) == Array(Self.longer("d").utf8))
            try room.store.checkIntegrity()
        }
    }

    /// The body of a revision, read as one of a long document.
    private func body(of id: String, in room: StoreFixture) throws -> [UInt8]? {
        let id = try revision(id)
        return try room.store.read {
            let long = try $0.revision("a", id, in: .default, isLong: true)
            #expect(try $0.revision("a", id, in: .default) == long)
            return long?.body
        }
    }

    @Test(arguments: [
        "UPDATE docs_1 SET body = replace(body, 'aaaa', 'aaab')",
        "UPDATE docs_1 SET body = CAST(body AS BLOB)",
        "UPDATE docs_1 SET body = body || 'a'", "UPDATE docs_1 SET flags = flags | 2",
        "UPDATE docs_1 SET checksum = checksum + 1", "UPDATE docs_1 SET checksum = NULL",
        "UPDATE docs_1 SET revisionID = x'0102'", "UPDATE docs_1 SET bodyByteCount = 2000000",
    ])
    func `a long document does not replace a damaged one`(_ change: String) throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        var store = try Store.open(directory: path)
        _ = try store.save("a", in: .default, body: Array(Self.body("a").utf8))
        try store.close()
        try StoreConnection.edit(path + "/db.sqlite3", change)
        store = try Store.open(directory: path)
        defer { try? store.close() }
        let body = Array(Self.body("b").utf8)
        let code = try refusal { _ = try store.save("a", in: .default, body: body) }
        guard case .damagedDocument("a", _) = code else {
            Issue.record("\(change): \(String(describing: code))")
            return
        }
        let read = try refusal { _ = try store.read { try $0.document("a", in: .default) } }
        #expect(read == code)
    }
}
