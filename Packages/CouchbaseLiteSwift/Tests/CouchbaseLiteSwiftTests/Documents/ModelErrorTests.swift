import CouchbaseLiteSwift
import Foundation
import Testing

/// The errors when a model cannot be written, in the form of the official SDK.
@Suite struct ModelErrorTests {
    private final class Note: Codable {
        @DocumentID var id: String?
        var text: String
        var size: Double

        init(id: String? = nil, text: String = "", size: Double = 1) {
            (self.text, self.size) = (text, size)
            self.id = id
        }
    }

    private final class Listed: Encodable {
        @DocumentID var id: String?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(1)
        }
    }

    private final class Anonymous: Codable {
        var text = ""
    }

    let home: TemporaryDatabase
    let collection: CouchbaseLiteSwift.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    /// The codes that `body` throws: the error's own, and its cause's.
    private func codes(_ body: () throws -> Void) -> [Int] {
        do {
            try body()
            return []
        } catch let error as NSError {
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
            if let cause {
                #expect(error.localizedDescription == cause.localizedDescription)
            }
            return [error.code] + (cause.map { [$0.code] } ?? [])
        }
    }

    @Test func `a model that cannot be written throws unexpectedError with the cause`() throws {
        let unexpected = CBLError.unexpectedError
        let badID = [unexpected, CBLError.badDocID]
        #expect(codes { try collection.save(from: Note(id: "_no")) } == badID)
        #expect(codes { _ = try collection.save(from: Note(id: "_no")) { _, _ in true } } == badID)
        #expect(
            codes {
                _ = try collection.save(from: Note(id: ""), concurrencyControl: .failOnConflict)
            } == badID
        )
        #expect(
            codes { try collection.save(from: Note(size: .infinity)) }
                == [unexpected, CBLError.invalidParameter]
        )
        let unencodable = [unexpected, CBLError.encodingError]
        #expect(codes { try collection.save(from: Listed()) } == unencodable)
        let missing = [unexpected, CBLError.notFound]
        #expect(codes { try collection.delete(for: Note(id: "none")) } == missing)
        #expect(collection.count == 0)
    }

    @Test func `errors found before writing keep their own code`() throws {
        #expect(codes { try collection.save(from: Anonymous()) } == [CBLError.invalidParameter])
        #expect(codes { try collection.purge(for: Note(id: "none")) } == [CBLError.notFound])
        #expect(codes { try collection.purge(for: Note()) } == [CBLError.notFound])
        try home.database.close()
        #expect(codes { try collection.save(from: Note(id: "a")) } == [CBLError.notOpen])
        #expect(codes { try collection.save(from: Note()) } == [CBLError.notOpen])
        #expect(codes { try collection.delete(for: Note(id: "a")) } == [CBLError.notOpen])
    }

    @Test
    func `a model is not saved if the conflicting document cannot be decoded or the merge encoded`()
        throws
    {
        let note = Note(id: "a", text: "mine")
        try collection.save(from: note)
        try collection.save(document: MutableDocument(id: "a", data: ["text": 7]))
        var calls = 0
        let isSaved = try collection.save(from: note) { _, _ in
            calls += 1
            return true
        }
        #expect(!isSaved && calls == 0)
        #expect(try collection.document(id: "a")?.toJSON() == #"{"text":7}"#)

        let fitting = MutableDocument(id: "a", data: ["text": "theirs", "size": 2])
        try collection.save(document: fitting)
        let isInfinite = try collection.save(from: note) { mine, theirs in
            calls += 1
            mine.size = theirs?.size ?? 0
            return true
        }
        #expect(isInfinite && calls == 1 && note.size == 2)
    }
}
