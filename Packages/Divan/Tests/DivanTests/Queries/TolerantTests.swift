import Divan
import Foundation
import Testing

/// Lists that contain documents of other versions of a model.
@Suite(.timeLimit(.minutes(5))) struct TolerantTests {
    private let database: Database
    private let notes: DocumentCollection

    init() throws {
        database = try Database.inMemory()
        notes = try database.collection("notes")
        try notes.save(Note(id: "1", title: "Milk"))
        try notes.save(Document(id: "2", ["title": ["en": "Bread"], "done": false]))
        try notes.save(Note(id: "3", title: "Rice"))
    }

    private var all: DocumentQuery<Note> { notes.documents(of: Note.self, orderBy: .byID) }

    @Test func `documents that do not match the type are left out and reported`() throws {
        expect(.decodingFailed) { _ = try all.all() }
        var invalid: [String: DivanError] = [:]
        let found = try all.all(skippingInvalid: { id, error in invalid[id] = error })
        #expect(found.map(\.id) == ["1", "3"])
        #expect(invalid.keys.sorted() == ["2"])
        #expect(invalid["2"]?.code == .decodingFailed)
        #expect(invalid["2"]?.description.contains("title") == true)
    }

    @Test func `the async form reports the same documents`() async throws {
        let invalid = Collected<String>()
        let found = try await all.all(skippingInvalid: { id, _ in invalid.append(id) })
        #expect(found.map(\.title) == ["Milk", "Rice"])
        #expect(invalid.elements == ["2"])
    }

    @Test func `a document whose data was not downloaded is reported`() throws {
        struct Photo: Codable, Identifiable, Sendable {
            var id: String
            var picture: Data
        }
        let photos = try database.collection("photos")
        let digest = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let blob = #"{"picture":{"@type":"blob","digest":"\#(digest)","length":3}}"#
        try photos.save(Document(id: "far", json: blob))
        try photos.save(Photo(id: "here", picture: Data([1, 2, 3])))
        var invalid: [DivanError.Code] = []
        let found = try photos.documents(of: Photo.self)
            .all(skippingInvalid: { _, error in invalid.append(error.code) })
        #expect(found.map(\.id) == ["here"])
        #expect(invalid == [.notFound])
    }

    @Test func `other errors end the call`() throws {
        let missing = all.matching("milk", index: "none")
        expect(.missingIndex) {
            _ = try missing.all(skippingInvalid: { id, _ in Issue.record("\(id)") })
        }
    }

    @Test func `a live query reports the documents that match, and does not end`() async throws {
        let invalid = Collected<String>()
        var updates = all.live(skippingInvalid: { id, _ in invalid.append(id) })
            .makeAsyncIterator()
        #expect(try await updates.next()?.map(\.id) == ["1", "3"])
        #expect(Set(invalid.elements) == ["2"])
        try await notes.save(Note(id: "2", title: "Bread"))
        #expect(try await updates.next()?.map(\.id) == ["1", "2", "3"])
    }
}
