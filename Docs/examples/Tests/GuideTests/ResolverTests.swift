import CouchbaseLiteSwift
import Foundation
import Testing

/// The resolvers of resolving-conflicts.md, alone and between two databases.
@Suite struct ResolverTests {
    private func collections() throws -> (here: Collection, there: Collection) {
        var config = DatabaseConfiguration()
        config.directory = NSTemporaryDirectory() + "divan-resolvers-\(UUID().uuidString)"
        let (here, there) = (
            try Database(name: "here", config: config), try Database(name: "there", config: config)
        )
        return (
            try here.createCollection(name: "notes"), try there.createCollection(name: "notes")
        )
    }

    private func remove(_ collection: Collection) {
        try? FileManager.default.removeItem(atPath: collection.database.config.directory)
    }

    @Test func `the guide's resolvers meet the contract`() throws {
        let notes = try collections().here
        defer { remove(notes) }
        #expect(ConflictResolver.violations(of: TagsOfBoth(), in: notes) == [])
        #expect(ConflictResolver.violations(of: EditsOverDeletions(), in: notes) == [])
    }

    @Test func `the resolver merges the tags of both sides`() async throws {
        let (here, there) = try collections()
        defer { remove(here) }
        let replicator = replicator(of: here, with: there.database, resolving: TagsOfBoth())
        try here.save(document: MutableDocument(id: "n", data: ["tags": ["a"]]))
        try await replicator.run()

        // Both sides change the note before the next sync.
        for (notes, tag) in [(here, "h"), (there, "t")] {
            let note = try #require(try notes.document(id: "n")).toMutable()
            note.setValue(["a", tag], forKey: "tags")
            try notes.save(document: note)
        }
        try await replicator.run()
        for notes in [here, there] {
            let tags = try notes.document(id: "n")?.array(forKey: "tags")?.toArray()
            #expect(tags as? [String] == ["a", "h", "t"])
        }
    }

    @Test func `an edit wins over a deletion on either side`() async throws {
        let (here, there) = try collections()
        defer { remove(here) }
        let replicator = replicator(of: here, with: there.database, resolving: EditsOverDeletions())
        for id in ["x", "y"] { try here.save(document: MutableDocument(id: id)) }
        try await replicator.run()
        for (edited, deleted, id) in [(here, there, "x"), (there, here, "y")] {
            try edited.save(document: MutableDocument(id: id, data: ["kept": true]))
            try deleted.delete(document: try #require(try deleted.document(id: id)))
        }
        try await replicator.run()
        for notes in [here, there] {
            for id in ["x", "y"] {
                #expect(try notes.document(id: id)?.boolean(forKey: "kept") == true)
            }
        }
    }

    @Test func `a conflicting save is merged, and a deleted note stays deleted`() throws {
        let notes = try collections().here
        defer { remove(notes) }
        let note = MutableDocument(id: "n", data: ["title": "old", "text": "mine"])
        try notes.save(document: note)
        let other = try #require(try notes.document(id: "n")).toMutable()
        try notes.save(document: other.setString("new", forKey: "title"))
        #expect(try saveCarefully(note, in: notes))
        #expect(try notes.document(id: "n")?.string(forKey: "title") == "new")
        #expect(try notes.document(id: "n")?.string(forKey: "text") == "mine")

        let stale = try #require(try notes.document(id: "n")).toMutable()
        try notes.delete(document: note)
        #expect(try !saveCarefully(stale.setString("late", forKey: "text"), in: notes))
        #expect(try notes.document(id: "n") == nil)
    }
}
