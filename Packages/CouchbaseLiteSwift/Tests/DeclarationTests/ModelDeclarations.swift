import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §18.
@Suite struct ModelDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    /// As in applications, with the ID given by the initialiser's caller or generated.
    final class Profile: Codable {
        @DocumentID var profileID: String?
        var name: String
        var contacts: [String: String] = [:]
        var photo: Blob?

        init(profileID: String?, name: String) {
            self.name = name
            self.profileID = profileID
        }
    }

    final class Nameless: Codable {
        var name = "no ID"
    }

    final class Unnamed: Decodable {
        var name: Int
    }

    struct Part: Codable, Equatable {
        var size: Int
    }

    final class Encoded: Encodable {
        @DocumentID var id: String?
        var parts = [Part(size: 1)]
    }

    final class Decoded: Decodable {
        @DocumentID var id: String?
        var parts: [Part]
    }

    @Test func `the type aliases are class constraints`() {
        func encodable<T: DocumentEncodable>(_: T.Type) -> Bool { true }
        func decodable<T: DocumentDecodable>(_: T.Type) -> Bool { true }
        func codable<T: DocumentCodable>(_: T.Type) -> Bool { true }
        #expect(encodable(Encoded.self) && decodable(Decoded.self) && codable(Profile.self))
        let _: AnyObject.Type = DocumentID.self
        let _: ReferenceWritableKeyPath<DocumentID, String?> = \.wrappedValue
    }

    @Test func `a model is saved, read, deleted and purged`() throws {
        let collection = try place.open().defaultCollection()
        let profile = Profile(profileID: "p1", name: "Ada")
        profile.contacts = ["mail": "ada@example.org"]
        profile.photo = Blob(contentType: "image/png", data: Data([1]))
        try collection.save(from: profile)
        #expect(collection["p1"]["name"].string == "Ada")
        #expect(!collection["p1"]["profileID"].exists)
        let read = try #require(try collection.document(id: "p1", as: Profile.self))
        #expect(read.profileID == "p1" && read.contacts == profile.contacts)
        #expect(read.photo?.content == Data([1]))
        read.name = "Grace"
        #expect(try collection.save(from: read, concurrencyControl: .failOnConflict))
        #expect(try !collection.save(from: profile, concurrencyControl: .failOnConflict))
        #expect(try collection.save(from: profile) { mine, theirs in theirs?.name == "Grace" })
        #expect(try collection.document(id: "p1", as: Profile.self)?.name == "Ada")
        #expect(try collection.delete(for: profile, concurrencyControl: .lastWriteWins))
        #expect(try collection.document(id: "p1", as: Profile.self) == nil)
        try collection.save(from: Profile(profileID: "p2", name: "first"))
        let second = Profile(profileID: "p2", name: "second")
        #expect(try collection.save(from: second, concurrencyControl: .failOnConflict))
        try collection.purge(for: Profile(profileID: "p2", name: ""))
        let other = Profile(profileID: nil, name: "new")
        try collection.save(from: other)
        #expect(other.profileID != nil)
        try collection.purge(for: other)
        #expect(collection.count == 0)
    }

    @Test func `Encodable-only and Decodable-only models can be saved or read`() throws {
        let collection = try place.open().defaultCollection()
        let encoded = Encoded()
        try collection.save(from: encoded)
        let id = try #require(encoded.id)
        #expect(try collection.document(id: id, as: Decoded.self)?.parts == [Part(size: 1)])
        try collection.delete(for: encoded)
    }

    @Test func `errors have the documented codes`() throws {
        let collection = try place.open().defaultCollection()
        #expect(code { try collection.save(from: Nameless()) } == CBLError.invalidParameter)
        try collection.save(document: MutableDocument(id: "p", data: ["name": 7]))
        #expect(
            code { _ = try collection.document(id: "p", as: Unnamed.self) }
                == CBLError.invalidParameter
        )
        #expect(
            code { _ = try collection.document(id: "p", as: Profile.self) }
                == CBLError.decodingError
        )
        #expect(
            code { try collection.delete(for: Profile(profileID: "x", name: "")) }
                == CBLError.unexpectedError
        )
    }
}
