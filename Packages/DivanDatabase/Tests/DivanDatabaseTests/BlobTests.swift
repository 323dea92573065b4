import DivanCrypto
import DivanDatabase
import DivanTestKit
import Testing

/// The blob store in a directory and in memory, and the names of blobs.
@Suite struct BlobTests {
    private struct Vectors: Decodable {
        struct Blob: Decodable {
            let contentUtf8: String
            let digest: String
            let fileName: String
        }
        let blobs: [Blob]
    }

    @Test(arguments: EngineKind.allCases)
    func `stores blobs under the documented digests and file names`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let blobs = room.store.blobs
        for vector in try Fixture("blobs.json").decoded(as: Vectors.self).blobs {
            let content = Array(vector.contentUtf8.utf8)
            let digest = try blobs.write(content)
            #expect(digest.description == vector.digest && digest.fileName == vector.fileName)
            #expect(BlobDigest(vector.digest) == digest)
            #expect(BlobDigest(fileName: vector.fileName) == digest)
            #expect(try blobs.read(digest) == content)
            #expect(blobs.byteCount(digest) == content.count)
            if let directory = blobs.directory {
                try blobs.settle()
                #expect(try entries(directory).contains(vector.fileName))
                #expect(try blobs.read(digest) == content)
            }
        }
    }

    @Test(arguments: [
        "", "sha1-", "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk", "md5-2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
        "sha1-../../../../../../../../etc=", "sha1-2jmj7l5rSw0yVb_vlWAYkK_YBwk=",
        "SHA1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwkA",
        "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwl=",
    ])
    func `rejects a malformed digest`(_ text: String) {
        #expect(BlobDigest(text) == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `accepts content in pieces of any size`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        var generator = SeededGenerator(seed: 7)
        let content = [UInt8].random(count: 300_000, using: &generator)
        let writer = try room.store.blobs.writer()
        for piece in content.pieces(longest: 20_000, using: &generator) {
            try writer.append(Array(piece).span)
        }
        let digest = try writer.finish(expected: BlobDigest(hashing: content.span))
        #expect(writer.byteCount == content.count)

        let reader = try room.store.blobs.reader(digest)
        #expect(reader.byteCount == content.count)
        var read: [UInt8] = []
        while case let piece = try reader.read(upTo: 4_097), !piece.isEmpty { read += piece }
        #expect(read == content)
        reader.seek(to: 299_990)
        #expect(try reader.read(upTo: 100) == Array(content.suffix(10)))
    }

    @Test(arguments: EngineKind.allCases)
    func `stores nothing if the content does not match the expected digest`(
        _ kind: EngineKind
    ) throws {
        let room = try StoreFixture(kind)
        let blobs = room.store.blobs
        let expected = BlobDigest(hashing: Array("promised".utf8).span)
        let actual = BlobDigest(hashing: Array("delivered".utf8).span)
        let writer = try blobs.writer()
        try writer.append(Array("delivered".utf8).span)
        let code = try refusal { _ = try writer.finish(expected: expected) }
        #expect(code == .blobMismatch(expected: expected, actual: actual))
        #expect(!blobs.contains(expected) && !blobs.contains(actual))
        #expect(try refusal { _ = try blobs.read(expected) } == .noSuchBlob(expected))
        if let directory = blobs.directory { #expect(try entries(directory) == []) }
    }

    @Test(arguments: EngineKind.onDisk)
    func `an abandoned writer leaves no file`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let directory = try #require(room.store.blobs.directory)
        var writer: BlobWriter? = try room.store.blobs.writer()
        try writer?.append([1, 2, 3].span)
        #expect(try entries(directory).count == 1)
        writer = nil
        #expect(try entries(directory) == [])
        let cancelled = try room.store.blobs.writer()
        cancelled.cancel()
        #expect(try entries(directory) == [])
        #expect(try refusal { _ = try cancelled.finish() } == .notOpen)
    }

    @Test func `does not follow a link in place of a blob`() throws {
        let home = try TemporaryDirectory()
        let store = try Store.open(directory: home.file("a.cblite2"))
        defer { try? store.close() }
        let digest = try store.blobs.write(Array("hello".utf8))
        try store.blobs.settle()
        let directory = try #require(store.blobs.directory)
        try write([1], to: home.file("secret"))
        try replaceWithLink(directory + "/" + digest.fileName, to: home.file("secret"))
        #expect(!store.blobs.contains(digest))
        #expect(throws: StoreError.self) { try store.blobs.read(digest) }
    }

    @Test func `opening a database removes incoming blobs left by a crash`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        try Store.open(directory: path).close()
        try write([1, 2], to: path + "/Attachments/incoming_77_1")
        let store = try Store.open(directory: path)
        #expect(try entries(path + "/Attachments") == [])
        try store.close()
    }
}

/// Finding the blobs of a body.
@Suite struct BlobReferencesTests {
    private let digest = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="
    private let other = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="

    private func pointers(_ body: String) throws -> [String] {
        try BlobReferences.all(in: Array(body.utf8).span).map(\.pointer)
    }

    @Test func `finds blobs at any depth, including in arrays`() throws {
        let blob = #"{"@type":"blob","digest":"\#(digest)","length":5}"#
        let body = #"{"a/b":{"c~d":\#(blob)},"list":[1,[\#(blob)],{"x":\#(blob)}],"pic":\#(blob)}"#
        #expect(
            try pointers(body) == ["/a~1b/c~0d", "/list/1/0", "/list/2/x", "/pic"]
        )
        #expect(try BlobReferences.digests(in: Array(body.utf8)).count == 1)
    }

    @Test func `does not search inside a blob's dictionary`() throws {
        let inner = #"{"@type":"blob","digest":"\#(other)"}"#
        let body = #"{"pic":{"@type":"blob","digest":"\#(digest)","thumb":\#(inner)}}"#
        #expect(try pointers(body) == ["/pic"])
    }

    @Test func `finds attachments and skips unusable digests`() throws {
        let body = """
            {"_attachments":{"a.txt":{"digest":"\(digest)","stub":true},"b":{"digest":"md5-x"}},
            "bad":{"@type":"blob","digest":"sha1-short"},"none":{"@type":"blob"},
            "plain":{"digest":"\(other)"}}
            """
        #expect(try pointers(body) == ["/_attachments/a.txt"])
    }

    @Test func `a blob in place of attachments is found like any other blob`() throws {
        let blob = #"{"@type":"blob","digest":"\#(digest)","length":5}"#
        #expect(try pointers(#"{"_attachments":\#(blob)}"#) == ["/_attachments"])
        #expect(try pointers(#"{"_attachments":[\#(blob)]}"#) == ["/_attachments/0"])
        let nested = #"{"_attachments":{"a":\#(blob),"b":{"c":\#(blob),"digest":"x"}}}"#
        #expect(try pointers(nested) == ["/_attachments/a", "/_attachments/b/c"])
    }

    @Test func `the root of a document is not a blob`() throws {
        #expect(try pointers(#"{"@type":"blob","digest":"\#(digest)"}"#) == [])
        #expect(try pointers("[]") == [])
        #expect(throws: (any Error).self) { try pointers("{") }
    }
}
