import Divan
import Foundation
import Testing

/// The calls that accept several models, or a model instead of its ID.
@Suite struct ModelCallTests {
    private struct Chore: Codable, Identifiable, Sendable {
        var id = UUID()
        var minutes: Double
    }

    private let notes: DocumentCollection

    init() throws {
        notes = try Database.inMemory().collection("notes")
    }

    @Test func `several models are saved with one revision each, in their order`() throws {
        let models = [Note(id: "b", title: "Bread"), Note(id: "a", title: "Milk")]
        let revisions = try notes.save(models)
        #expect(try notes.get(["b", "a"]).map(\.revision) == revisions)
        let chores = [Chore(minutes: 5), Chore(minutes: 10)]
        try notes.save(chores)
        let again = try notes.save(chores)
        #expect(try notes.get(chores.map(\.id.uuidString)).map(\.revision) == again)
        #expect(try notes.save([Note]()).isEmpty)
    }

    @Test func `several documents are saved with their new revisions`() throws {
        let saved = try notes.save([Document(id: "1", ["n": 1]), Document(id: "2", ["n": 2])])
        #expect(try notes.get(["1", "2"]) == saved)
        #expect(saved.allSatisfy { $0.revision != nil })
        let again = try notes.save(saved)
        #expect(try notes.get(["1", "2"]).map(\.revision) == again.map(\.revision))
    }

    @Test func `if one of several models cannot be saved, none is`() throws {
        expect(.encodingFailed) { try notes.save([Chore(minutes: 5), Chore(minutes: .nan)]) }
        #expect(try notes.count() == 0)
    }

    @Test func `a model or a document is deleted by its ID`() throws {
        let (note, chore) = (Note(id: "1", title: "Milk"), Chore(minutes: 5))
        try notes.save(note)
        try notes.save(chore)
        #expect(try notes.delete(note))
        #expect(try notes.delete(chore))
        #expect(try !notes.delete(chore))
        let document = try notes.save(Document(id: "2"))
        // Also after a change, like a deletion by ID.
        try notes.update("2") { $0.n = 1 }
        #expect(try notes.delete(document))
        #expect(try notes.count() == 0)
    }

    @Test func `models and documents are saved and deleted in async code`() async throws {
        let (note, chore) = (Note(id: "1", title: "Milk"), Chore(minutes: 5))
        let revisions = try await notes.save([note]) + notes.save([chore])
        let ids = ["1", chore.id.uuidString]
        #expect(try await notes.get(ids).map(\.revision) == revisions)
        let documents = try await notes.save([Document(id: "2"), Document(id: "3")])
        #expect(try await notes.get(["2", "3"]) == documents)
        #expect(try await notes.delete(note))
        #expect(try await notes.delete(chore))
        for document in documents { #expect(try await notes.delete(document)) }
        #expect(try await notes.count() == 0)
        let error = await #expect(throws: DivanError.self) {
            try await notes.save([chore, Chore(minutes: .nan)])
        }
        #expect(error?.code == .encodingFailed)
        #expect(try await notes.count() == 0)
    }

    @Test(arguments: [Database.Options.RevisionScheme.trees, .versionVectors])
    func `a revision made from its ID detects conflicts`(
        scheme: Database.Options.RevisionScheme
    ) throws {
        var options = Database.Options()
        options.revisions = scheme
        let notes = try Database.inMemory(options).collection("notes")
        let first = try notes.save(Note(id: "1", title: "Milk"))
        let revision = try Revision(first.id)
        #expect(revision == first)
        #expect(revision.sequence == 0)
        try notes.save(Note(id: "1", title: "Bread"), ifRevision: revision)
        expect(.conflict) { try notes.save(Note(id: "1", title: "Tea"), ifRevision: revision) }
        for text in ["", "1", "0-aa", String(repeating: "9", count: 10_000)] {
            expect(.invalidArgument) { _ = try Revision(text) }
        }
    }
}
