import CDivanSeal
import DivanSeal
import DivanTestKit
import Foundation
import Testing

/// The vectors of Docs/formats/sealed-database.md, and Python's reading of what is written here.
struct VectorTests {
    struct Vectors: Decodable {
        let password123: String
        let cases: [Case]
    }

    struct Case: Decodable {
        let cipher: UInt8
        let key, head, nonce, check, page1, page2, frameHead, frame1080, block1080: String
        let blobSalt, blobHead, blobEmpty, blobAbc, blob70000: String
    }

    private static let python = "/usr/bin/python3"

    private static func fixture(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/\(name)").path
    }

    private static func vectors() throws -> Vectors {
        let data = try Data(contentsOf: URL(filePath: fixture("vectors.json")))
        return try JSONDecoder().decode(Vectors.self, from: data)
    }

    private static func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { offset in
            let start = text.index(text.startIndex, offsetBy: offset)
            return UInt8(text[start..<text.index(start, offsetBy: 2)], radix: 16)
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func page() -> [UInt8] {
        (0..<992).map { UInt8(($0 * 7 + 3) % 251) } + [UInt8](repeating: 0, count: 32)
    }

    @Test func `pages, frames and blocks are encrypted as in the vectors`() throws {
        for vector in try Self.vectors().cases {
            let secret = try #require(divan_secret_make(Self.bytes(vector.key)))
            defer { divan_secret_drop(secret) }
            let keys = try #require(divan_page_keys_make(secret, Self.bytes(vector.head)))
            defer { divan_page_keys_drop(keys) }
            let check = UnsafeBufferPointer(start: divan_page_keys_check(keys), count: 4)
            #expect(Self.hex(check) == vector.check)
            let (page, nonce) = (Self.page(), Self.bytes(vector.nonce))
            let first =
                Array("SQLite format 3\0".utf8) + [4, 0, 2, 2, 32, 64, 32, 32] + page[24...]
            var sealed = [UInt8](repeating: 0, count: 1_024)
            var opened = sealed
            for (number, plain, expected) in [(1, first, vector.page1), (2, page, vector.page2)] {
                #expect(divan_page_seal(keys, UInt32(number), nonce, plain, 1_024, &sealed) == 1)
                #expect(Self.hex(sealed) == expected)
                #expect(divan_page_open(keys, UInt32(number), sealed, 1_024, &opened) == 1)
                #expect(opened == plain)
                #expect(divan_page_open(keys, 3, sealed, 1_024, &opened) == 0)
            }
            let head = Self.bytes(vector.frameHead)
            #expect(divan_frame_seal(keys, head, 1_080, nonce, page, 1_024, &sealed) == 1)
            #expect(Self.hex(sealed) == vector.frame1080)
            #expect(divan_frame_open(keys, head, 1_080, sealed, 1_024, &opened) == 1)
            #expect(opened == page)
            #expect(divan_frame_open(keys, head, 32, sealed, 1_024, &opened) == 0)
            var block = Array(head[8...])
            #expect(divan_block_seal(keys, 1_080, &block) == 1)
            #expect(Self.hex(block) == vector.block1080)
            #expect(divan_block_open(keys, 1_080, &block) == 1 && block == Array(head[8...]))
        }
    }

    @Test func `blobs are decrypted as in the vectors`() throws {
        for vector in try Self.vectors().cases {
            let key = Self.bytes(vector.key)
            let seal = Seal(key: try SealKey(bytes: key.span))
            let digests = [
                "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                "a9993e364706816aba3e25717850c26c9cd0d89d",
            ]
            let expected = [[], Array("abc".utf8)]
            for (index, text) in [vector.blobEmpty, vector.blobAbc].enumerated() {
                let file = Self.bytes(text)
                #expect(Self.hex(file[..<24]) == vector.blobHead)
                let opener = try BlobOpener(
                    head: Array(file[..<24]),
                    end: Array(file.suffix(16)),
                    fileByteCount: file.count,
                    digest: Self.bytes(digests[index]),
                    seal: seal
                )
                var content: [UInt8] = []
                for number in 0..<opener.layout.chunkCount {
                    let place = try #require(opener.layout.place(ofChunk: number))
                    content += try opener.open(Array(file[place]).span, number: number)
                }
                #expect(content == expected[index])
            }
        }
    }

    @Test func `a password gives the same key as in Couchbase Lite`() throws {
        let key = try SealKey(password: "password123")
        let text = key.withBytes { bytes in Self.hex((0..<bytes.count).map { bytes[$0] }) }
        #expect(text == (try Self.vectors().password123))
        #expect(throws: SealError.passwordLength(byteCount: 0)) { try SealKey(password: "") }
    }

    @Test func `Python creates the same vectors from the format description`() throws {
        let outcome = try Program(Self.python).run([Self.fixture("sealed.py"), "vectors"])
        #expect(outcome.status == 0, "\(outcome)")
        let committed = try String(contentsOfFile: Self.fixture("vectors.json"), encoding: .utf8)
        #expect(outcome.output == committed)
    }

    @Test(arguments: PageCipher.all)
    func `Python decrypts a database with its log`(cipher: PageCipher) throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.db")
        let key = try SealKey()
        let keyText = key.withBytes { bytes in Self.hex((0..<bytes.count).map { bytes[$0] }) }
        let file = try SealedFile(path, Seal(key: key, cipher: cipher))
        try file.execute("CREATE TABLE t (a); INSERT INTO t VALUES ('in the file')")
        try file.execute("PRAGMA wal_checkpoint; INSERT INTO t VALUES ('in the log')")
        try file.execute("BEGIN; UPDATE t SET a = a || '!'; UPDATE t SET a = a || '?'; COMMIT")
        let outcome = try Program(Self.python).run(
            [Self.fixture("sealed.py"), "database", keyText, path, home.file("plain.db")]
        )
        #expect(outcome.status == 0, "\(outcome)")
        let plain = try SealedFile(home.file("plain.db"), nil)
        #expect(try plain.texts("SELECT a FROM t") == ["in the file!?", "in the log!?"])
        #expect(try plain.texts("PRAGMA integrity_check") == ["ok"])
    }
}
