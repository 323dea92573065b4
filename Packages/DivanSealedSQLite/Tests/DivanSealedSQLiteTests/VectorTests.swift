import CDivanSealedSQLite
import DivanSeal
import DivanSealedSQLite
import DivanTestKit
import Testing

/// The vectors of Docs/formats/sealed-database.md, and Python's reading of what is written here.
struct VectorTests {
    struct Case: Decodable {
        let cipher: UInt8
        let key, head, nonce, check, page1, page2, frameHead, frame1080, block1080: String
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        try #require([UInt8](hex: text))
    }

    private static func page() -> [UInt8] {
        (0..<992).map { UInt8(($0 * 7 + 3) % 251) } + [UInt8](repeating: 0, count: 32)
    }

    @Test func `pages, frames and blocks are encrypted as in the vectors`() throws {
        for vector in try Fixture("vectors.json").decoded(as: [Case].self) {
            let secret = try #require(divan_secret_make(Self.bytes(vector.key)))
            defer { divan_secret_drop(secret) }
            let keys = try #require(divan_page_keys_make(secret, Self.bytes(vector.head)))
            defer { divan_page_keys_drop(keys) }
            let check = UnsafeBufferPointer(start: divan_page_keys_check(keys), count: 4)
            #expect(Array(check).hexText == vector.check)
            let (page, nonce) = (Self.page(), try Self.bytes(vector.nonce))
            let first =
                Array("SQLite format 3\0".utf8) + [4, 0, 2, 2, 32, 64, 32, 32] + page[24...]
            var sealed = [UInt8](repeating: 0, count: 1_024)
            var opened = sealed
            for (number, plain, expected) in [(1, first, vector.page1), (2, page, vector.page2)] {
                #expect(divan_page_seal(keys, UInt32(number), nonce, plain, 1_024, &sealed) == 1)
                #expect(sealed.hexText == expected)
                #expect(divan_page_open(keys, UInt32(number), sealed, 1_024, &opened) == 1)
                #expect(opened == plain)
                #expect(divan_page_open(keys, 3, sealed, 1_024, &opened) == 0)
            }
            let head = try Self.bytes(vector.frameHead)
            #expect(divan_frame_seal(keys, head, 1_080, nonce, page, 1_024, &sealed) == 1)
            #expect(sealed.hexText == vector.frame1080)
            #expect(divan_frame_open(keys, head, 1_080, sealed, 1_024, &opened) == 1)
            #expect(opened == page)
            #expect(divan_frame_open(keys, head, 32, sealed, 1_024, &opened) == 0)
            var block = Array(head[8...])
            #expect(divan_block_seal(keys, 1_080, &block) == 1)
            #expect(block.hexText == vector.block1080)
            #expect(divan_block_open(keys, 1_080, &block) == 1 && block == Array(head[8...]))
        }
    }

    @Test func `Python creates the same vectors from the format description`() throws {
        let outcome = try Program("/usr/bin/python3").run([Fixture("sealed.py").path, "vectors"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == (try Fixture("vectors.json").text()))
    }

    @Test(arguments: SealCipher.all)
    func `Python decrypts a database with its log`(cipher: SealCipher) throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.db")
        let key = try SealKey()
        let keyText = key.withBytes { bytes in (0..<bytes.count).map { bytes[$0] }.hexText }
        let file = try SealedFile(path, SealedVFS(Seal(key: key, cipher: cipher)))
        try file.execute("CREATE TABLE t (a); INSERT INTO t VALUES ('in the file')")
        try file.execute("PRAGMA wal_checkpoint; INSERT INTO t VALUES ('in the log')")
        try file.execute("BEGIN; UPDATE t SET a = a || '!'; UPDATE t SET a = a || '?'; COMMIT")
        let outcome = try Program("/usr/bin/python3").run(
            [Fixture("sealed.py").path, "database", keyText, path, home.file("plain.db")]
        )
        #expect(outcome.status == 0, "\(outcome)")
        let plain = try SealedFile(home.file("plain.db"), nil)
        #expect(try plain.texts("SELECT a FROM t") == ["in the file!?", "in the log!?"])
        #expect(try plain.texts("PRAGMA integrity_check") == ["ok"])
    }
}
