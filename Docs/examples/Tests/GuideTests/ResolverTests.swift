import Divan
import Testing

/// The resolvers of resolving-conflicts.md, between two databases.
@Suite struct ResolverTests {
    private let here: DocumentCollection
    private let there: DocumentCollection

    init() throws {
        here = try Database.inMemory(name: "here").collection("notes")
        there = try Database.inMemory(name: "there").collection("notes")
    }

    @Test func `the tags of both sides are merged`() async throws {
        let sync = Sync(here.database, with: there.database, resolver: TagsOfBoth())
        try await here.save(Document(id: "n", ["tags": ["a"]]))
        try await sync.run()

        // Both sides change the note before the next sync.
        try await here.update("n") { $0.tags = ["a", "h"] }
        try await there.update("n") { $0.tags = ["a", "t"] }
        try await sync.run()
        #expect(try await here.get("n")?.tags == ["a", "h", "t"])
        #expect(try await there.get("n")?.tags == ["a", "h", "t"])
    }

    @Test func `a note stays deleted if the other side changes its tags`() async throws {
        let sync = Sync(here.database, with: there.database, resolver: TagsOfBoth())
        for id in ["x", "y"] { try await here.save(Document(id: id)) }
        try await sync.run()
        for (edited, deleted, id) in [(here, there, "x"), (there, here, "y")] {
            try await edited.update(id) { $0.tags = ["a"] }
            try await deleted.delete(id)
        }
        try await sync.run()
        for notes in [here, there] { #expect(try await notes.count() == 0) }
    }

    @Test func `an edit wins over a deletion on either side`() async throws {
        let sync = Sync(here.database, with: there.database, resolver: EditsOverDeletions())
        for id in ["x", "y"] { try await here.save(Document(id: id)) }
        try await sync.run()
        for (edited, deleted, id) in [(here, there, "x"), (there, here, "y")] {
            try await edited.update(id) { $0.kept = true }
            try await deleted.delete(id)
        }
        try await sync.run()
        for notes in [here, there] {
            for id in ["x", "y"] { #expect(try await notes.get(id)?.kept == true) }
        }
    }

    @Test func `a conflicting save is merged, and a deleted note stays deleted`() async throws {
        var mine = try await here.save(Document(id: "n", ["title": "old", "text": "old"]))
        try await here.update("n") { $0.title = "new" }
        mine.text = "mine"
        try await saveCarefully(mine, in: here)
        #expect(try await here.get("n")?.json == #"{"text":"mine","title":"new"}"#)

        try await here.delete("n")
        let stale = mine
        let error = await #expect(throws: DivanError.self) {
            try await saveCarefully(stale, in: here)
        }
        #expect(error?.code == .notFound)
        #expect(try await here.get("n") == nil)
    }
}
