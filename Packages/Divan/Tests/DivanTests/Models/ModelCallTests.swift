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

    @Test func `several models are saved with one revision each, in their order`() async throws {
        let revisions = try notes.save([
            Note(id: "b", title: "Bread"), Note(id: "a", title: "Milk"),
        ])
        #expect(try notes.get(["b", "a"]).map(\.revision) == revisions)
        let chores = [Chore(minutes: 5), Chore(minutes: 10)]
        try notes.save(chores)
        let again = try await notes.save(chores)
        #expect(try notes.get(chores.map(\.id.uuidString)).map(\.revision) == again)
        try await notes.save([Note(id: "a", title: "Tea")])
        #expect(try notes.get("a", as: Note.self)?.title == "Tea")
        #expect(try notes.save([Note]()).isEmpty)
    }

    @Test func `several documents are saved with their new revisions`() async throws {
        let saved = try notes.save([Document(id: "1", ["n": 1]), Document(id: "2", ["n": 2])])
        #expect(try notes.get(["1", "2"]) == saved)
        #expect(saved.allSatisfy { $0.revision != nil })
        let again = try await notes.save(saved)
        #expect(try notes.get(["1", "2"]).map(\.revision) == again.map(\.revision))
    }

    @Test func `if one of several models cannot be saved, none is`() async throws {
        let chores = [Chore(minutes: 5), Chore(minutes: .nan)]
        expect(.encodingFailed) { try notes.save(chores) }
        let error = await #expect(throws: DivanError.self) { try await notes.save(chores) }
        #expect(error?.code == .encodingFailed)
        #expect(try notes.count() == 0)
    }

    @Test func `a model or a document is deleted by its ID`() async throws {
        let (note, chore) = (Note(id: "1", title: "Milk"), Chore(minutes: 5))
        try notes.save(note)
        try notes.save(chore)
        #expect(try notes.delete(note))
        #expect(try notes.delete(chore))
        #expect(try !notes.delete(chore))
        try await notes.save(note)
        try await notes.save(chore)
        #expect(try await notes.delete(note))
        #expect(try await notes.delete(chore))
        let document = try notes.save(Document(id: "2"))
        // Also after a change, like a deletion by ID.
        try notes.update("2") { $0.n = 1 }
        #expect(try notes.delete(document))
        #expect(try notes.count() == 0)
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
