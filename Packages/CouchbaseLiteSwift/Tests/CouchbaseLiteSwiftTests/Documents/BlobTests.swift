import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// `behaviour.md` §4; `blobs.md` §1 and §2.
@Suite struct BlobTests {
    let home: TemporaryDatabase
    let collection: CouchbaseLiteSwift.Collection
    private let small = Data("hello".utf8)
    private let large = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    private func saved(_ blob: Blob, id: String = "doc") throws -> Document {
        try collection.save(document: MutableDocument(id: id).setBlob(blob, forKey: "blob"))
        return try #require(try collection.document(id: id))
    }

    private var fileNames: [String] {
        get throws {
            let path = try #require(home.database.path) + "Attachments"
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            return names.filter { $0.hasSuffix(".blob") }.sorted()
        }
    }

    @Test func `a new blob has content and no digest`() {
        let blob = Blob(contentType: "text/plain", data: small)
        #expect(blob.content == small)
        #expect(blob.length == 5)
        #expect(blob.digest == nil)
        #expect(blob.contentType == "text/plain")
        #expect(blob.properties["length"] as? Int == 5)
        #expect(blob.properties["@type"] == nil)
    }

    @Test func `saving a document stores its blob under the digest`() throws {
        let blob = Blob(contentType: "text/plain", data: small)
        let read = try #require(try saved(blob).blob(forKey: "blob"))
        let digest = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="
        #expect(blob.digest == digest)
        #expect(read.digest == digest)
        #expect(read.content == small)
        #expect(read.length == 5)
        #expect(read.contentType == "text/plain")
        #expect(read == blob)
        #expect(read.hashValue == blob.hashValue)
        #expect(try fileNames == ["qvTGHdzF6KLavt4PO0gs2a6pQ00=.blob"])
        #expect(
            read.toJSON() == #"{"@type":"blob","content_type":"text/plain","#
                + #""digest":"\#(digest)","length":5}"#
        )
    }

    @Test func `blobs with the same content are stored once`() throws {
        _ = try saved(Blob(contentType: "a/b", data: small), id: "one")
        _ = try saved(Blob(contentType: "c/d", data: small), id: "two")
        #expect(try fileNames.count == 1)
    }

    @Test func `large content is read back unchanged, at once and as a stream`() throws {
        let read = try #require(
            try saved(Blob(contentType: "a/b", data: large)).blob(forKey: "blob")
        )
        #expect(read.content == large)
        #expect(try drain(try #require(read.contentStream)) == large)
    }

    @Test func `a blob can be empty`() throws {
        let read = try saved(Blob(contentType: "a/b", data: Data())).blob(forKey: "blob")
        #expect(read?.content == Data())
        #expect(read?.digest == "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=")
    }

    @Test func `a blob's stream is read only when the document is saved`() throws {
        let blob = Blob(contentType: "a/b", contentStream: InputStream(data: large))
        #expect(blob.length == 0)
        let read = try #require(try saved(blob).blob(forKey: "blob"))
        #expect(blob.length == UInt64(large.count))
        #expect(read.content == large)
        #expect(blob.content == large)
    }

    @Test func `a stream blob can be read before it is saved`() throws {
        let stream = InputStream(data: small)
        let blob = Blob(contentType: "a/b", contentStream: stream)
        #expect(blob.contentStream == nil && stream.streamStatus == .notOpen)
        #expect(blob.content == small)
        #expect(try blob.contentStream.map(drain) == small)
        #expect(try saved(blob).blob(forKey: "blob")?.content == small)
    }

    @Test func `a blob is created from a file`() throws {
        let path = home.directory.file("picture")
        try large.write(to: URL(fileURLWithPath: path))
        let blob = try Blob(contentType: "image/png", fileURL: URL(fileURLWithPath: path))
        #expect(try saved(blob).blob(forKey: "blob")?.content == large)
    }

    @Test func `creating a blob from a missing file throws`() {
        let error = #expect(throws: NSError.self) {
            _ = try Blob(contentType: "a/b", fileURL: URL(fileURLWithPath: "/nowhere/at/all"))
        }
        #expect(error?.domain == NSURLErrorDomain && error?.code == -1_100)
        #expect(error?.localizedDescription.contains("/nowhere/at/all") == true)
    }

    @Test func `a blob of another database is refused`() throws {
        let other = try TemporaryDatabase()
        let blob = Blob(contentType: "a/b", data: small)
        _ = try saved(blob)
        let documents = [
            MutableDocument().setBlob(blob, forKey: "direct"),
            MutableDocument().setValue(["in": [blob]], forKey: "nested"),
            MutableDocument().setBlob(
                try #require(try collection.document(id: "doc")).blob(forKey: "blob"),
                forKey: "read"
            ),
        ]
        for document in documents {
            expect(CBLError.invalidParameter) { try other.collection.save(document: document) }
        }
    }

    @Test func `a nested container with a blob of another database is refused`() throws {
        let blob = Blob(contentType: "a/b", data: small)
        try collection.save(document: MutableDocument(id: "doc", data: ["d": ["b": blob]]))
        let dictionary = try #require(try collection.document(id: "doc")?.dictionary(forKey: "d"))
        let other = try TemporaryDatabase()
        let document = MutableDocument().setDictionary(dictionary, forKey: "d")
        expect(CBLError.invalidParameter) { try other.collection.save(document: document) }
    }

    @Test
    func `a dictionary with a blob's properties is a blob, and unknown content stays metadata`()
        throws
    {
        let digest = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let properties: [String: Any] = [
            "@type": "blob", "digest": digest, "length": 9, "content_type": "a/b", "name": "extra",
        ]
        #expect(Blob.isBlob(properties: properties))
        try collection.save(document: MutableDocument(id: "doc", data: ["b": properties]))
        let read = try #require(try collection.document(id: "doc")?.blob(forKey: "b"))
        #expect(read.digest == digest)
        #expect(read.length == 9)
        #expect(read.content == nil)
        #expect(read.properties["name"] as? String == "extra")
        #expect(try home.database.getBlob(properties: properties) == nil)
    }

    @Test(arguments: [
        ["digest": "sha1-x"], ["@type": "blob"], ["@type": "other", "digest": "sha1-x"],
        ["@type": "blob", "digest": "sha1-x", "length": "5"],
    ])
    func `a dictionary without a type or digest is not a blob`(_ properties: [String: String]) {
        #expect(!Blob.isBlob(properties: properties))
        let document = MutableDocument(data: ["b": properties])
        #expect(document.blob(forKey: "b") == nil)
        #expect(document.dictionary(forKey: "b") != nil)
    }

    @Test func `saveBlob stores a blob without a document, and getBlob finds it`() throws {
        let blob = Blob(contentType: "text/plain", data: small)
        try home.database.saveBlob(blob: blob)
        var properties = blob.properties
        properties["@type"] = "blob"
        let found = try #require(try home.database.getBlob(properties: properties))
        #expect(found.content == small)
        #expect(found == blob)
    }

    /// When reread it is a blob, however its members were assembled.
    @Test(arguments: ["of a dictionary", "key by key", "nested"])
    func `a blob created from its properties keeps its content`(way: String) throws {
        let blob = Blob(contentType: "text/plain", data: small)
        try home.database.saveBlob(blob: blob)
        var properties = blob.properties
        properties["@type"] = "blob"
        let part = MutableDictionaryObject()
        for (key, value) in properties { part.setValue(value, forKey: key) }
        let document = MutableDocument(id: "d")
        switch way {
        case "of a dictionary":
            document.setDictionary(MutableDictionaryObject(data: properties), forKey: "b")
        case "key by key": document.setDictionary(part, forKey: "b")
        default: document.setArray(MutableArrayObject().addDictionary(part), forKey: "b")
        }
        try collection.save(document: document)
        try home.database.performMaintenance(type: .compact)
        let found = try #require(try collection.document(id: "d"))
        let kept = way == "nested" ? found.array(forKey: "b")?.blob(at: 0) : found.blob(forKey: "b")
        #expect(kept?.content == small)
    }

    @Test func `compaction deletes blobs that no document references`() throws {
        let kept = Blob(contentType: "a/b", data: small)
        _ = try saved(kept)
        try home.database.saveBlob(blob: Blob(contentType: "a/b", data: large))
        let dropped = try saved(Blob(contentType: "a/b", data: Data([1, 2])), id: "gone")
        try collection.purge(document: dropped)
        #expect(try fileNames.count == 3)
        try home.database.performMaintenance(type: .compact)
        #expect(try fileNames == ["qvTGHdzF6KLavt4PO0gs2a6pQ00=.blob"])
        #expect(try collection.document(id: "doc")?.blob(forKey: "blob")?.content == small)
    }

    @Test func `inline content is stored as a blob when the document is saved`() throws {
        let data: [String: Any] = [
            "b": ["@type": "blob", "data": "aGVsbG8=", "content_type": "a/b"]
        ]
        let document = MutableDocument(id: "doc", data: data)
        #expect(document.blob(forKey: "b")?.content == small)
        try collection.save(document: document)
        let read = try #require(try collection.document(id: "doc")?.blob(forKey: "b"))
        #expect(read.digest == "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00=")
        #expect(read.content == small)
    }

    @Test(arguments: [false, true])
    func `a blob created from JSON has content after its document is saved`(
        isAskedBefore: Bool
    )
        throws
    {
        let blob = Blob(contentType: "text/plain", data: small)
        try home.database.saveBlob(blob: blob)
        let json = #"{"b":\#(blob.toJSON()),"in":{"c":[\#(blob.toJSON())]}}"#
        let document = try MutableDocument(id: "doc", json: json)
        // If accessed before, they are objects; otherwise they are read from the text later.
        if isAskedBefore {
            #expect(document.blob(forKey: "b")?.content == nil)
            #expect(document["in"]["c"][0].blob?.content == nil)
        }
        try collection.save(document: document)
        #expect(document.blob(forKey: "b")?.content == small)
        #expect(document["in"]["c"][0].blob?.content == small)

        // From now on it belongs to this database.
        let elsewhere = try TemporaryDatabase("elsewhere")
        let inner = try #require(document.dictionary(forKey: "in"))
        expect(CBLError.invalidParameter) {
            try elsewhere.collection.save(
                document: MutableDocument().setDictionary(inner, forKey: "in")
            )
        }
    }

    @Test func `equal blobs have equal hashes, whether stored or not`()
        throws
    {
        let digest = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="
        let data: [String: Any] = ["b": ["@type": "blob", "digest": digest]]
        let bare = try #require(MutableDocument(data: data).blob(forKey: "b"))
        let new = Blob(contentType: "a/b", data: small)
        let stored = try #require(
            try saved(Blob(contentType: "c/d", data: small)).blob(forKey: "blob")
        )
        #expect(bare == stored)
        #expect(bare.hashValue == stored.hashValue)
        #expect(new == stored)
        #expect(new.hashValue == stored.hashValue)
    }

    @Test func `blobs without a digest are compared by content`() {
        let one = Blob(contentType: "a/b", data: small)
        #expect(one == Blob(contentType: "c/d", data: small))
        #expect(one.hashValue == Blob(contentType: "c/d", data: small).hashValue)
        #expect(one != Blob(contentType: "a/b", data: large))
    }

    @Test func `a saved blob keeps its content after the database is closed`() throws {
        let blob = Blob(contentType: "text/plain", data: large)
        let read = try saved(blob).blob(forKey: "blob")
        try home.database.close()
        #expect(blob.content == large)
        #expect(try blob.contentStream.map(drain) == large)
        #expect(read?.content == nil)
    }

    @Test func `a blob without a stored length has its length after it is read`() throws {
        let blob = Blob(contentType: "text/plain", data: large)
        _ = try saved(blob)
        let properties = ["@type": "blob", "digest": try #require(blob.digest)]
        try collection.save(document: MutableDocument(id: "bare", data: ["b": properties]))
        let bare = try #require(try collection.document(id: "bare")?.blob(forKey: "b"))
        #expect(bare.length == 0)
        #expect(bare.content == large)
        #expect(bare.length == 100_000)
        // Looking up the blob returns it with its length.
        let asked = try #require(try home.database.getBlob(properties: properties))
        #expect(asked.length == 100_000)
        #expect(asked.properties["length"] as? Int == 100_000)
    }

    @Test func `getBlob rejects properties that are not a blob's`() throws {
        let digest = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="
        for bad: [String: Any] in [
            [:], ["@type": "blob"], ["digest": digest], ["@type": "file", "digest": digest],
            ["@type": "blob", "digest": 7], ["@type": "blob", "digest": digest, "length": "5"],
        ] {
            expect(CBLError.invalidParameter) { _ = try home.database.getBlob(properties: bad) }
        }
        let unreadable: [String: Any] = ["@type": "blob", "digest": "md5-x"]
        #expect(try home.database.getBlob(properties: unreadable) == nil)
    }

    private func drain(_ stream: InputStream) throws -> Data {
        stream.open()
        defer { stream.close() }
        var (content, piece) = (Data(), [UInt8](repeating: 0, count: 4_096))
        while case let count = stream.read(&piece, maxLength: piece.count), count > 0 {
            content.append(contentsOf: piece[..<count])
        }
        return content
    }

    @Test func `a document cannot reference a stream's content that compaction deleted`() throws {
        let blob = Blob(contentType: "a/b", contentStream: InputStream(data: small))
        try home.database.saveBlob(blob: blob)
        try home.database.performMaintenance(type: .compact)
        expect(CBLError.notFound) { _ = try saved(blob) }
        #expect(try collection.document(id: "doc") == nil)
        // Content that did not come from a stream is still in the blob.
        let bytes = Blob(contentType: "a/b", data: small)
        try home.database.saveBlob(blob: bytes)
        try home.database.performMaintenance(type: .compact)
        #expect(try saved(bytes).blob(forKey: "blob")?.content == small)
        #expect(try saved(blob, id: "again").blob(forKey: "blob")?.content == small)
    }

    @Test(arguments: [false, true])
    func `saving a blob throws if its stream fails`(isReadFirst: Bool) throws {
        for path in ["/nowhere/at/all", "/"] {
            let stream = try #require(InputStream(fileAtPath: path))
            let blob = Blob(contentType: "text/plain", contentStream: stream)
            if isReadFirst { #expect(blob.content == nil) }
            let document = MutableDocument(id: "doc").setBlob(blob, forKey: "blob")
            for _ in 0..<2 {
                expect(CBLError.ioError) { try home.collection.save(document: document) }
            }
            #expect(blob.content == nil)
            #expect(try home.collection.document(id: "doc") == nil)
        }
    }

    /// As written by other implementations.
    @Test(arguments: [
        ("", 0), (#","length":5"#, 5), (#","length":5.0"#, 5), (#","length":-1"#, 0),
        (#","length":5.5"#, 0),
    ])
    func `editing a document does not change the stored length of a blob`(
        stated: String,
        length: Int
    ) throws {
        let digest = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="
        let blob = #"{"@type":"blob","digest":"\#(digest)"\#(stated)}"#
        try collection.save(document: MutableDocument(id: "doc", json: #"{"b":\#(blob)}"#))
        let read = try #require(try collection.document(id: "doc"))
        let before = try #require(
            read.dictionary(forKey: "b")?.toJSON() ?? read.blob(forKey: "b")?.toJSON()
        )
        let edited = read.toMutable()
        #expect(edited.blob(forKey: "b")?.length == UInt64(length))
        edited.setBlob(read.blob(forKey: "b"), forKey: "c")
        try collection.save(document: edited)
        let after = try #require(try collection.document(id: "doc"))
        #expect(after.toJSON() == #"{"b":\#(before),"c":\#(before)}"#)
        #expect(after.toJSON().contains("length") == !stated.isEmpty)
    }

    @Test(arguments: [
        ("aGVsbG8=", #""digest":"sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00=","length":5}"#),
        ("no Base64", #""data":"no Base64"}"#),
    ])
    func `a blob stored by a peer without a digest can be converted to JSON`(
        content: String,
        rest: String
    ) throws {
        let json = #"{"b":{"@type":"blob","data":"\#(content)"}}"#
        try collection.save(document: try MutableDocument(id: "doc", json: json))
        let blob = try #require(try collection.document(id: "doc")?.blob(forKey: "b"))
        #expect(blob.toJSON() == #"{"@type":"blob","# + rest)
    }

    @Test func `inline content with a digest is stored as a blob when the document is saved`()
        throws
    {
        let digest = "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="
        let data = ["@type": "blob", "data": "aGVsbG8=", "digest": digest]
        let blob = try #require(MutableDocument(data: ["b": data]).blob(forKey: "b"))
        #expect(blob.content == small && blob.digest == digest && blob.length == 5)
        #expect(try saved(blob).blob(forKey: "blob")?.content == small)
        #expect(try fileNames == ["qvTGHdzF6KLavt4PO0gs2a6pQ00=.blob"])
    }

    @Test(arguments: ["aGVsbG8=", "no Base64"])
    func `inline content that does not match its digest stays in the document`(
        content: String
    ) throws {
        let digest = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let data = ["@type": "blob", "data": content, "digest": digest]
        let blob = try #require(MutableDocument(data: ["b": data]).blob(forKey: "b"))
        let read = try #require(try saved(blob).blob(forKey: "blob"))
        #expect(read.digest == digest && read.properties["data"] as? String == content)
    }
}
