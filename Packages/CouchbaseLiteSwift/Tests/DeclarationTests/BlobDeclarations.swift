import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §5.
@Suite struct BlobDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    @Test func `Blob has its official members`() throws {
        let _: (String, Data) -> Blob = Blob.init(contentType:data:)
        let _: (String, InputStream) -> Blob = Blob.init(contentType:contentStream:)
        let _: (String, URL) throws -> Blob = Blob.init(contentType:fileURL:)
        let _: KeyPath<Blob, Data?> = \.content
        let _: KeyPath<Blob, InputStream?> = \.contentStream
        let _: KeyPath<Blob, String?> = \.contentType
        let _: KeyPath<Blob, UInt64> = \.length
        let _: KeyPath<Blob, String?> = \.digest
        let _: KeyPath<Blob, [String: Any]> = \.properties
        let _: (Blob) -> () -> String = Blob.toJSON
        let _: ([String: Any]) -> Bool = Blob.isBlob(properties:)
        let names: [String] = [
            Blob.blobType, Blob.typeProperty, Blob.blobDigestProperty, Blob.blobLengthProperty,
            Blob.blobContentType,
        ]
        #expect(names == ["blob", "@type", "digest", "length", "content_type"])
        func accept<T: Equatable & Hashable & Codable>(_: T.Type) -> Bool { true }
        #expect(accept(Blob.self))
    }

    @Test func `properties hold digest, length and content type, and no @type`() throws {
        let database = try place.open()
        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        try database.saveBlob(blob: blob)
        let properties = blob.properties
        #expect(Set(properties.keys) == ["digest", "length", "content_type"])
        #expect(properties["digest"] as? String == "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00=")
        #expect(properties["length"] as? Int == 5)
        #expect(properties["content_type"] as? String == "text/plain")
        #expect(!Blob.isBlob(properties: properties))
        var whole = properties
        whole[Blob.typeProperty] = Blob.blobType
        #expect(Blob.isBlob(properties: whole))
        #expect(try database.getBlob(properties: whole)?.content == Data("hello".utf8))
        whole["digest"] = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="
        #expect(try database.getBlob(properties: whole) == nil)
    }

    @Test func `toJSON returns the metadata with @type`() throws {
        let database = try place.open()
        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        try database.saveBlob(blob: blob)
        let json = try JSONSerialization.jsonObject(with: Data(blob.toJSON().utf8))
        let members = try #require(json as? [String: Any])
        #expect(members["@type"] as? String == "blob")
        #expect(members["digest"] as? String == blob.digest)
        #expect(Blob.isBlob(properties: members))
    }

    @Test func `creating a blob from a missing file throws`() {
        let url = URL(fileURLWithPath: "/nowhere/at/all")
        #expect(code { _ = try Blob(contentType: "a/b", fileURL: url) } != 0)
    }

    /// JSON coders know nothing of databases: a blob is only codable in models.
    @Test func `other encoders and decoders reject a blob`() {
        let blob = Blob(contentType: "a/b", data: Data([1]))
        #expect(code { _ = try JSONEncoder().encode([blob]) } == CBLError.encodingError)
        let bytes = Data("[{}]".utf8)
        #expect(
            code { _ = try JSONDecoder().decode([Blob].self, from: bytes) }
                == CBLError.decodingError
        )
    }
}
