import DivanJSON
import DivanPlatform
import DivanQuery
import DivanRevisions
import DivanSQL
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Files that are not as they should be are distinguished, never taken for empty, never modified.
@Suite struct DamageTests {
    private let home: TemporaryDirectory
    private let path: String
    private var database: String { path + "/db.sqlite3" }

    init() throws {
        home = try TemporaryDirectory()
        path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        try store.write { writer in
            for number in 0..<40 {
                let body = Array(
                    #"{"n":\#(number),"text":"\#(String(repeating: "x", count: 700))"}"#.utf8
                )
                _ = try writer.save(
                    DocumentID(unchecked: "doc-\(number)"),
                    in: .default,
                    body: body
                )
            }
        }
        try store.close()
    }

    private func openingCode() throws -> StoreError.Code? {
        try refusal { try Store.open(directory: path).close() }
    }

    @Test(arguments: [[], Array("hello".utf8), [UInt8](repeating: 0x20, count: 8_192)])
    func `a file that is not a database is refused and not changed`(_ bytes: [UInt8]) throws {
        try write(bytes, to: database)
        guard case .notADatabase = try openingCode() else {
            throw Unexpected(outcome: "\(String(describing: try openingCode()))")
        }
        #expect(try contents(database) == bytes)
    }

    /// The cell count of the page that lists the collections; the blobs of all documents were lost with it.
    @Test func `a file with inconsistent pages is not compacted`() throws {
        let digest: BlobDigest
        do {
            let store = try Store.open(directory: path)
            digest = try store.blobs.write(Array("content".utf8))
            try store.write { writer in
                let body = #"{"p":{"@type":"blob","digest":"\#(digest)","length":7}}"#
                _ = try writer.save("x", in: .default, body: Array(body.utf8), hasBlobs: true)
            }
            try store.compact()
            try store.close()
        }
        let connection = try StoreConnection(path: database, mode: .readOnly)
        let root = try #require(
            try connection.integer(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'collections'"
            )
        )
        let size = try #require(try connection.integer("PRAGMA page_size"))
        var bytes = try contents(database)
        let place = Int(root - 1) * Int(size) + 4
        #expect(bytes[place] == 1)
        bytes[place] = 0
        try write(bytes, to: database)
        let store = try Store.open(directory: path)
        let code = try refusal { try store.compact() }
        guard case .corrupt = code else { throw Unexpected(outcome: "\(String(describing: code))") }
        #expect(store.blobs.contains(digest))
        try store.close()
        #expect(try contents(database) == bytes)
    }

    @Test func `an index with a missing entry is found by the check and rebuilt`() throws {
        let items = QueryIndexDefinition.array(["tags"], [])
        func withStore(_ body: (Store) throws -> Void) throws {
            let store = try Store.open(directory: path)
            try body(store)
            try store.close()
        }
        try withStore { store in
            try store.write { writer in
                _ = try writer.save("x", in: .default, body: Array(#"{"tags":[1,2]}"#.utf8))
                try writer.createIndex("byTag", items, in: .default)
            }
        }
        let connection = try StoreConnection(path: database, mode: .readWrite)
        let table = SQLIndexTranslation.itemTable(of: "docs_1", ["tags"])
        try connection.execute("DELETE FROM \(table) WHERE value = 2")
        try withStore { store in
            guard case .corrupt = try refusal(of: store.checkIntegrity) else {
                throw Unexpected(outcome: "not found")
            }
            #expect(try store.reindex() == 1)
            try store.checkIntegrity()
        }
    }

    @Test(arguments: [
        "UPDATE collections SET lastSequence = 9223372036854775807",
        "UPDATE docs_1 SET sequence = 9223372036854775807 WHERE sequence = 40",
    ])
    func `a last sequence that cannot be increased is damage, and nothing is overwritten`(
        _ statement: String
    ) throws {
        let connection = try StoreConnection(path: database, mode: .readWrite)
        try connection.execute(statement)
        let store = try Store.open(directory: path)
        let code = try refusal {
            _ = try store.write { try $0.save("new", in: .default, body: Array("{}".utf8)) }
        }
        guard case .corrupt = code else { throw Unexpected(outcome: "\(String(describing: code))") }
        try store.close()
    }

    /// The document was never pushed: no copy of either will arrive.
    @Test func `a damaged blob is kept while a damaged document may reference it`() throws {
        let digest: BlobDigest
        do {
            let store = try Store.open(directory: path)
            digest = try store.blobs.write(Array("content".utf8))
            let body = #"{"p":{"@type":"blob","digest":"\#(digest)","length":7}}"#
            try store.write { writer in
                _ = try writer.save("x", in: .default, body: Array(body.utf8), hasBlobs: true)
            }
            try store.close()
        }
        let file = path + "/Attachments/" + digest.fileName
        try FileSystem.setPermissions(0o600, of: file)
        try write(Array("c0ntent".utf8), to: file)
        try StoreConnection(path: database, mode: .readWrite)
            .execute("UPDATE docs_1 SET body = body || ' ' WHERE documentID = 'x'")

        let store = try Store.open(directory: path)
        defer { try? store.close() }
        let inspection = try store.inspect()
        #expect(inspection.damages.contains { $0.part == .blob(digest, namedBy: nil) })
        _ = try store.restore(inspection, from: Store.inMemory())
        #expect(store.blobs.contains(digest))
        #expect(try store.write { try $0.purge("x", in: .default) })
        _ = try store.restore(store.inspect(), from: Store.inMemory())
        #expect(!store.blobs.contains(digest))
        try store.checkIntegrity()
    }

    /// Two things are damaged: the document, and the row with the name and the counters of its collection.
    @Test func `a purge that fails midway is not stored, even if its error is ignored`() throws {
        try StoreConnection(path: database, mode: .readWrite).execute(
            """
            UPDATE docs_1 SET body = '{"n":"x"}' WHERE documentID = 'doc-5';
            UPDATE collections SET liveCount = liveCount + 1
            """
        )
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        let code = try refusal {
            try store.write { writer in
                try? store.write { _ = try $0.purge("doc-5", in: .default) }
                _ = try writer.save("new", in: .default, body: Array("{}".utf8))
            }
        }
        guard case .corrupt = code else { throw Unexpected(outcome: "\(String(describing: code))") }
        let wanted = try store.wantedDocuments(for: store.inspect())
        #expect(wanted.map(\.documentID) == ["doc-5"])
    }

    /// If the collection's own row is as late as the last one, it has the counters.
    @Test(arguments: [Int64.max, 41, -1])
    func `an impossible document count is replaced by a new count`(_ liveCount: Int64) throws {
        try StoreConnection(path: database, mode: .readWrite)
            .execute("UPDATE collections SET lastSequence = 40, liveCount = \(liveCount)")
        let store = try Store.open(directory: path)
        #expect(try store.read { try $0.count(in: .default) } == 40)
        _ = try store.save("new", in: .default, body: Array("{}".utf8))
        #expect(try store.read { try $0.count(in: .default) } == 41)
        try store.close()
    }

    @Test func `a document count that is too low never becomes negative`() throws {
        try StoreConnection(path: database, mode: .readWrite)
            .execute("UPDATE collections SET lastSequence = 40, liveCount = 0")
        let store = try Store.open(directory: path)
        try store.write { writer in
            #expect(try writer.purge("doc-1", in: .default))
            #expect(try writer.count(in: .default) == 0)
            let gone = Array("{}".utf8)
            _ = try writer.save("doc-2", in: .default, body: gone, isTombstone: true)
            #expect(try writer.count(in: .default) == 0)
        }
        try store.close()
        let again = try Store.open(directory: path)
        _ = try again.save("new", in: .default, body: Array("{}".utf8))
        try again.close()
    }

    /// The row stored last holds the counters of its collection next to its flags.
    @Test(arguments: [0, 8, -1, 255 << 40])
    func `new documents can be saved after the flags of the last row are damaged`(
        _ flags: Int64
    ) throws {
        try StoreConnection.edit(database, "UPDATE docs_1 SET flags = \(flags) WHERE sequence = 40")
        let store = try Store.open(directory: path)
        _ = try store.save("new", in: .default, body: Array("{}".utf8))
        #expect(try store.read { try $0.lastSequence(in: .default) } == 41)
        let isTombstone = flags & Int64(DocumentFlags.tombstone.rawValue) != 0
        #expect(try store.read { try $0.count(in: .default) } == (isTombstone ? 40 : 41))
        try store.close()
    }

    @Test func `a missing database file is not recreated next to existing blobs`() throws {
        try FileSystem.removeFile(database)
        guard case .notADatabase = try openingCode() else {
            throw Unexpected(outcome: "\(String(describing: try openingCode()))")
        }
        #expect(try !entries(path).contains("db.sqlite3"))
    }

    @Test func `a newer file format is refused, and the error states its version`() throws {
        var bytes = try contents(database)
        bytes.replaceSubrange(60..<64, with: [0, 0, 0, 9])  // user_version
        try write(bytes, to: database)
        #expect(try openingCode() == .tooNew(version: 9, supported: 6))
        #expect(try contents(database) == bytes)
    }

    @Test func `another application's SQLite file is refused`() throws {
        var bytes = try contents(database)
        bytes.replaceSubrange(68..<72, with: [0, 0, 0, 0])  // application_id
        try write(bytes, to: database)
        guard case .notADatabase = try openingCode() else {
            throw Unexpected(outcome: "\(String(describing: try openingCode()))")
        }
        // Nor modified: SQLite would copy its log into it.
        #expect(try contents(database) == bytes)
        #expect(try !entries(path).contains("db.sqlite3-shm"))
    }

    @Test func `a directory in place of the database file is refused`() throws {
        try FileSystem.removeFile(database)
        try FileSystem.makeDirectory(database)
        #expect(String(describing: try openingCode()).contains("notADatabase"))
    }

    @Test func `a link in place of the database file or its directory is refused`() throws {
        try FileSystem.rename(database, to: home.file("elsewhere"))
        try FileSystem.symbolicLink(database, to: home.file("elsewhere"))
        guard case .notADatabase = try openingCode() else {
            throw Unexpected(outcome: "\(String(describing: try openingCode()))")
        }
        try FileSystem.symbolicLink(home.file("b.cblite2"), to: path)
        let code = try refusal { _ = try Store.open(directory: home.file("b.cblite2")) }
        guard case .notADatabase = code else {
            throw Unexpected(outcome: "\(String(describing: code))")
        }
    }

    /// Truncated at the end of every page, and within one: opening or the check must notice.
    @Test(arguments: [0, 100, 512, 2_560])
    func `a truncated file is detected`(rest: Int) throws {
        let whole = try contents(database)
        for length in stride(from: rest, to: whole.count, by: 4_096) {
            try write(Array(whole.prefix(length)), to: database)
            #expect(throws: StoreError.self, "cut to \(length) bytes") {
                let store = try Store.open(directory: path)
                defer { try? store.close() }
                try store.checkIntegrity()
            }
        }
    }

    /// One flipped bit in each page: every result is correct or an error, and nothing traps.
    @Test(arguments: UInt64(0)..<3)
    func `a flipped bit gives an error or the right number of documents`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let whole = try contents(database)
        for page in stride(from: 0, to: whole.count, by: 8_192) {
            var bytes = whole
            let offset = page + Int.random(in: 0..<8_192, using: &generator)
            bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try write(bytes, to: database)
            do {
                let store = try Store.open(directory: path)
                defer { try? store.close() }
                try store.checkIntegrity()
                let count = try store.read {
                    try $0.documents(in: .default, after: 0, limit: 100).count
                }
                #expect(count == 40, "seed \(seed), page at \(page), byte \(offset)")
            } catch is StoreError {}
        }
    }

    /// Everything that a reader reports about the database.
    private func answers() throws -> [StoredDocument] {
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        return try store.read { try $0.documents(in: .default, after: 0, limit: 100) }
    }

    @Test
    func `every flipped bit that changes a result is detected, and no wrong result is returned`()
        throws
    {
        let seed = TestSeed.choose(below: 0x1_0000)
        var seeded = SeededGenerator(seed: seed)
        let (whole, before) = (try contents(database), try answers())
        var changed = 0
        for _ in 0..<300 {
            let offset = Int.random(in: 0..<whole.count, using: &seeded)
            let bit = UInt8.random(in: 0..<8, using: &seeded)
            changed += try isFound(offset, bit, of: whole, before, "seed \(seed)") ? 1 : 0
        }
        // A page has more room than these few documents need.
        #expect(changed > 40, "seed \(seed)")
    }

    /// No checksum covers the schema, and SQLite trusts it.
    @Test func `every flipped bit in a table definition is detected`() throws {
        let seed = TestSeed.choose(below: 0x1_0000)
        var seeded = SeededGenerator(seed: seed)
        let (whole, before) = (try contents(database), try answers())
        let type = try #require(whole.firstRange(of: Array("INTEGER PRIMARY KEY,\n".utf8)))
        // A type other than INTEGER: the table has all rows, and none of them a sequence.
        #expect(try isFound(type.lowerBound + 3, 1, of: whole, before, "the type of a sequence"))
        for name in ["TABLE docs_1", "TABLE collections", "TABLE \"values\"", "INDEX docs_1_con"] {
            let place = try #require(whole.firstRange(of: Array("CREATE \(name)".utf8)))
            for offset in place.lowerBound..<place.lowerBound + 60 {
                let bit = UInt8.random(in: 0..<8, using: &seeded)
                _ = try isFound(offset, bit, of: whole, before, "seed \(seed), \(name)")
            }
        }
    }

    /// Flips a bit and verifies that a change of the answers is reported, and that none of them is wrong.
    ///
    /// - Returns: Whether the answers changed.
    private func isFound(
        _ offset: Int,
        _ bit: UInt8,
        of whole: [UInt8],
        _ before: [StoredDocument],
        _ place: String
    ) throws -> Bool {
        var bytes = whole
        bytes[offset] ^= 1 << bit
        try write(bytes, to: database)
        let after = Result { try answers() }
        guard (try? after.get()) != before else { return false }
        if let documents = try? after.get() {
            #expect(documents.allSatisfy(before.contains), "\(place), byte \(offset), bit \(bit)")
        }
        #expect(throws: StoreError.self, "\(place), byte \(offset), bit \(bit)") {
            let store = try Store.open(directory: path)
            defer { try? store.close() }
            try store.checkIntegrity()
        }
        return true
    }

    @Test func `a damaged document is reported, and the others stay readable`() throws {
        var bytes = try contents(database)
        let place = try #require(bytes.firstRange(of: Array(#"{"n":17,"#.utf8)))
        bytes[place.lowerBound + 5] ^= 1
        try write(bytes, to: database)
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        let error = try refusal { _ = try store.read { try $0.document("doc-17", in: .default) } }
        guard case .damagedDocument(documentID: "doc-17", _) = error else {
            throw Unexpected(outcome: "\(String(describing: error))")
        }
        #expect(try store.read { try $0.document("doc-16", in: .default) } != nil)
        // Lists of IDs contain it, wherever they begin.
        for prefix in ["doc-17", "doc-1", ""] {
            let ids = try store.read {
                try $0.documentIDs(in: .default, prefix: prefix, after: nil, limit: 100)
            }
            #expect(ids.contains("doc-17"), "\(prefix)")
        }
        let inspection = try store.inspect()
        #expect(inspection.documentCount == 39)
        #expect(
            inspection.damages.map(\.part) == [.document(.default, documentID: "doc-17")]
        )
        // It is neither overwritten unseen, nor does it prevent its own removal.
        #expect(throws: StoreError.self) {
            _ = try store.save("doc-17", in: .default, body: Array("{}".utf8))
        }
        try store.write { _ = try $0.purge("doc-17", in: .default) }
        try store.checkIntegrity()
    }

    /// Not even the head of this one can be read.
    @Test func `a damaged document does not block expiration and can be purged`() throws {
        let store = try Store.open(directory: path)
        try store.write { writer in
            for number in [5, 6, 7] {
                try writer.setExpiration(
                    Int64(number),
                    of: DocumentID(unchecked: "doc-\(number)"),
                    in: .default
                )
            }
        }
        try store.close()
        try StoreConnection(path: database, mode: .readWrite)
            .execute("UPDATE docs_1 SET revisionID = x'00' WHERE documentID IN ('doc-5', 'doc-9')")
        let damaged = try Store.open(directory: path)
        defer { try? damaged.close() }
        #expect(throws: StoreError.self) {
            _ = try damaged.read { try $0.document("doc-5", in: .default) }
        }
        #expect(try damaged.purgeExpired(now: 10) == 3)
        #expect(try damaged.nextExpiration() == nil)
        #expect(try damaged.write { try $0.purge("doc-9", in: .default) })
        #expect(try damaged.read { try $0.count(in: .default) } == 36)
        try damaged.checkIntegrity()
        _ = try damaged.save("new", in: .default, body: Array("{}".utf8))
        #expect(try damaged.read { try $0.lastSequence(in: .default) } == 41)
    }

    /// The mark is part of what is damaged, so it does not prove that there is no blob.
    @Test func `compacting keeps the blobs of a document with damaged flags`() throws {
        let store = try Store.open(directory: path)
        let digest = try store.blobs.write(Array("content".utf8))
        let body = #"{"p":{"@type":"blob","digest":"\#(digest)","length":7}}"#
        let revision = LocalRevision("x", body: Array(body.utf8), hasBlobs: true)
        _ = try store.save(revision, in: .default)
        try store.close()
        let mark = DocumentFlags.hasBlobs.rawValue
        try StoreConnection.edit(
            database,
            "UPDATE docs_1 SET flags = flags & ~\(mark) WHERE documentID = 'x'"
        )
        let damaged = try Store.open(directory: path)
        defer { try? damaged.close() }
        let collection = try damaged.compact()
        let damage = StoreError.Code.damagedDocument(documentID: "x", "checksum mismatch")
        #expect(collection.obstacle?.code == damage)
        #expect(collection.removedCount == 0 && damaged.blobs.contains(digest))
    }

    @Test func `an invalid write-ahead log is ignored`() throws {
        var generator = SeededGenerator(seed: 3)
        try write([UInt8].random(count: 20_000, using: &generator), to: database + "-wal")
        let store = try Store.open(directory: path)
        try store.checkIntegrity()
        #expect(try store.read { try $0.count(in: .default) } == 40)
        try store.close()
    }

    /// A killed process leaves a log that the next one reads.
    @Test func `committed documents are available after a crash`() throws {
        let store = try Store.open(directory: path)
        try store.write { _ = try $0.save("last", in: .default, body: Array("{}".utf8)) }
        let other = home.file("b.cblite2")
        try FileSystem.makeDirectory(other, permissions: 0o700)
        for name in ["db.sqlite3", "db.sqlite3-wal"] {
            try write(contents(path + "/" + name), to: other + "/" + name)
        }
        try store.close()
        let recovered = try Store.open(directory: other)
        #expect(try recovered.read { try $0.count(in: .default) } == 41)
        try recovered.checkIntegrity()
        try recovered.close()
    }

    @Test func `every error states the path, the problem and a remedy`() {
        let errors: [(StoreError, String)] = [
            (
                StoreError(.noSuchDatabase, at: "/x/a.cblite2"),
                "/x/a.cblite2: the database does not exist; check the name and directory, or"
                    + " create it"
            ),
            (
                StoreError(.busy(.otherProcess), at: "/x"),
                "/x: another process has the database open for writing; close it there, or open it"
                    + " read-only"
            ),
            (
                StoreError(.tooNew(version: 9, supported: 1), at: "/x"),
                "/x: file format 9 is newer than this program supports (up to 1); open it with a"
                    + " newer version of Divan"
            ),
            (
                StoreError(.io(.ioError), at: "/x"),
                "/x: Input/output error (errno 5); check the file system"
            ),
        ]
        for (error, text) in errors { #expect(error.description == text) }
    }
}
