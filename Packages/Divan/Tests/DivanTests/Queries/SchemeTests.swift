import Divan
import Foundation
import Testing

/// The calls that read revisions, in databases of both schemes.
@Suite struct SchemeTests {
    @Test(arguments: [Database.Options.RevisionScheme.trees, .versionVectors])
    func `queries return documents and models with the revision of a read by ID`(
        scheme: Database.Options.RevisionScheme
    ) async throws {
        var options = Database.Options()
        options.revisions = scheme
        let notes = try await Database.inMemory(options).collection("notes")
        let models = [Note(id: "a", title: "Milk"), Note(id: "b", title: "Bread")]
        let revisions = try await notes.save(models)
        let documents = notes.documents(of: Document.self, orderBy: .ascending("title"))
        #expect(try await documents.all().map(\.revision) == [revisions[1], revisions[0]])
        #expect(try await documents.first() == notes.get("b"))
        let page = try await documents.page(of: 1)
        #expect(page.documents.map(\.revision) == [revisions[1]])
        #expect(try await notes.documents(of: Note.self, orderBy: \.title).ids() == ["b", "a"])
        for try await titles in notes.live(where: #Predicate<Note> { $0.title != "" }) {
            #expect(titles.map(\.title).sorted() == ["Bread", "Milk"])
            break
        }
        try await notes.createIndex("words", .text("title"))
        let found = documents.matching("milk", index: "words")
        #expect(try await found.all().map(\.revision) == [revisions[0]])
    }
}
