import DivanSeal
import DivanTestKit
import Testing

/// The vectors of the keys and blobs in Docs/formats/sealed-database.md.
struct VectorTests {
    struct Vectors: Decodable {
        let password123: String
        let cases: [Case]
    }

    struct Case: Decodable {
        let cipher: UInt8
        let key, blobHead, blobEmpty, blobAbc: String
    }

    private static func vectors() throws -> Vectors {
        try Fixture("vectors.json").decoded(as: Vectors.self)
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        try #require([UInt8](hex: text))
    }

    @Test func `blobs are decrypted as in the vectors`() throws {
        for vector in try Self.vectors().cases {
            let key = try Self.bytes(vector.key)
            let seal = Seal(key: try SealKey(bytes: key.span))
            let digests = [
                "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                "a9993e364706816aba3e25717850c26c9cd0d89d",
            ]
            let expected = [[], Array("abc".utf8)]
            for (index, text) in [vector.blobEmpty, vector.blobAbc].enumerated() {
                let file = try Self.bytes(text)
                #expect(file[..<24].hexText == vector.blobHead)
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
        let text = key.withBytes { bytes in (0..<bytes.count).map { bytes[$0] }.hexText }
        #expect(text == (try Self.vectors().password123))
        #expect(throws: SealError.passwordLength(byteCount: 0)) { try SealKey(password: "") }
    }

    @Test func `Python creates the same vectors from the format description`() throws {
        let outcome = try Program("/usr/bin/python3").run([Fixture("sealed.py").path, "vectors"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == (try Fixture("vectors.json").text()))
    }
}
