import Divan
import Foundation
import Testing

/// IDs, deletions and purges of the documents of a query.
@Suite(.timeLimit(.minutes(5))) struct RemovingTests {
    private let database: Database
    private let notes: DocumentCollection

    init() throws {
        database = try Database.inMemory()
        notes = try database.collection("notes")
        let notes = notes
        try database.write { _ in
            for (number, title) in ["milk", "bread", "rice", "salt"].enumerated() {
                let note = Note(id: "\(number)", title: title, done: number != 1, stars: number)
                try notes.save(note)
            }
        }
    }

    private var done: DocumentQuery<Note> {
        notes.documents(where: #Predicate<Note> { $0.done }, orderBy: .descending(\.stars))
    }

    @Test func `IDs have the condition, the order and the limit of the query`() async throws {
        #expect(try await notes.documents(where: #Predicate<Note> { !$0.done }).ids() == ["1"])
        #expect(try await done.ids() == ["3", "2", "0"])
        let first = notes.documents(of: Note.self, orderBy: .descending(\.title), limit: 2)
        #expect(try await first.ids() == ["3", "2"])
        // No document is decoded.
        try await notes.save(Document(id: "x", ["title": 7]))
        #expect(try await notes.documents(of: Note.self).ids().count == 5)
    }

    @Test func `a deletion of the documents of a query is counted, and is synced`()
        async throws
    {
        let other = try Database.inMemory(name: "other")
        let theirs = try await other.collection("notes")
        let sync = Sync(database, with: other)
        try await sync.run()
        let changes = notes.changes.makeAsyncIterator()
        #expect(try await done.delete() == 3)
        #expect(try await notes.ids() == ["1"])
        #expect(try await done.delete() == 0)
        // One transaction is one change.
        var iterator = changes
        #expect(await iterator.next()?.ids.sorted() == ["0", "2", "3"])
        #expect(try await sync.run().pushedCount == 3)
        #expect(try await theirs.ids() == ["1"])
    }

    @Test func `a purge of the documents of a query is not synced`() async throws {
        let other = try Database.inMemory(name: "other")
        let theirs = try await other.collection("notes")
        let sync = Sync(database, with: other)
        try await sync.run()
        #expect(try await done.purge() == 3)
        #expect(try await notes.ids() == ["1"])
        #expect(try await sync.run().pushedCount == 0)
        #expect(try await theirs.count() == 4)
    }

    @Test func `a limit removes the first documents of the order, so that calls can be repeated`()
        throws
    {
        let oldest = notes.documents(of: Note.self, orderBy: .ascending(\.stars), limit: 3)
        #expect(try oldest.delete() == 3)
        #expect(try notes.ids() == ["3"])
        #expect(try oldest.purge() == 1)
        #expect(try oldest.purge() == 0)
        // Documents that no note can be decoded from are removed too.
        try notes.save(Document(id: "x", ["title": 7]))
        #expect(try notes.documents(of: Note.self).delete() == 1)
    }

    @Test func `more documents than one step are removed`() throws {
        try database.write { _ in
            for number in 0..<600 { try notes.save(Note(id: "n\(number)", title: "salt")) }
        }
        let salt = notes.documents(where: #Predicate<Note> { $0.title == "salt" })
        #expect(try salt.delete() == 601)
        #expect(try notes.count() == 3)
    }

    @Test func `an error of a surrounding transaction restores all documents`() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try database.write { _ in
                #expect(try done.delete() == 3)
                #expect(try done.ids().isEmpty)
                throw Stop()
            }
        }
        #expect(try done.count() == 3)
    }

    @Test func `after a cancellation, no document is deleted`() async throws {
        let task = Task { [done] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await done.delete()
        }
        await #expect { try await task.value } throws: { DivanError.cancelled ~= $0 }
        #expect(try await done.count() == 3)
    }

    @Test func `errors say what is wrong with the query or the database`() throws {
        let odd = notes.documents(where: #Predicate<Note> { $0.title.count == 4 })
        expect(.invalidArgument) { try odd.delete() }
        expect(.invalidArgument) { _ = try odd.ids() }
        let missing = notes.documents(of: Note.self).matching("milk", index: "none")
        expect(.missingIndex) { try missing.purge() }
        #expect(try notes.count() == 4)
        try database.close()
        expect(.notOpen) { try done.delete() }
        expect(.notOpen) { _ = try done.ids() }
    }

    @Test func `a read-only database refuses deletions`() throws {
        let disk = try DiskDatabase()
        try disk.database.collection("notes").save(Note(id: "1", title: "Milk"))
        try disk.database.close()
        let notes = try disk.reopened(.init(isReadOnly: true)).collection("notes")
        expect(.readOnly) { try notes.documents(of: Note.self).delete() }
        #expect(try notes.count() == 1)
    }
}
