import Divan
import Foundation
import Observation
import Synchronization
import Testing

/// Live queries, changes and observed values.
@Suite(.timeLimit(.minutes(5))) struct LiveTests {
    private let database: Database
    private let notes: DocumentCollection

    init() throws {
        database = try Database.inMemory()
        notes = try database.collection("notes")
    }

    @Test("A live query reports the documents now, and after each commit that changes them")
    func documents() async throws {
        try await notes.save(Note(id: "1", title: "Milk"))
        let open = notes.live(where: #Predicate<Note> { !$0.done }, orderBy: \.title)
        var iterator = open.makeAsyncIterator()
        #expect(try await iterator.next()?.map(\.id) == ["1"])
        try await notes.save(Note(id: "2", title: "Bread"))
        #expect(try await iterator.next()?.map(\.id) == ["2", "1"])
        try await notes.update("1", as: Note.self) { $0.done = true }
        #expect(try await iterator.next()?.map(\.id) == ["2"])
        try await database.close()
        #expect(try await iterator.next() == nil)
    }

    @Test("A live query in SQL++ reports rows, or values of a type")
    func rows() async throws {
        struct Total: Decodable, Sendable { var count: Int }
        let sql = "SELECT COUNT(*) AS count FROM notes WHERE stars >= $least"
        var totals = database.live(sql, ["least": 2], as: Total.self).makeAsyncIterator()
        #expect(try await totals.next()?.first?.count == 0)
        try await notes.save(Note(id: "1", title: "Milk", stars: 3))
        #expect(try await totals.next()?.first?.count == 1)
        var rows = database.live(sql, ["least": 2]).makeAsyncIterator()
        #expect(try await rows.next()?.first?.count == 1)
    }

    @Test("A live query with a mistake ends with its error")
    func mistakes() async throws {
        do {
            for try await _ in database.live("SELECT FROM") { Issue.record("rows") }
            Issue.record("no error")
        } catch DivanError.invalidQuery {
        }
        do {
            for try await _ in database.live("SELECT $x FROM notes") { Issue.record("rows") }
            Issue.record("no error")
        } catch DivanError.invalidQuery {
        }
    }

    @Test("Changes are reported in order, and end when the database is closed")
    func changes() async throws {
        let changes = notes.changes.makeAsyncIterator()
        let one = notes.changes(of: "1").makeAsyncIterator()
        try await notes.save(Note(id: "1", title: "Milk"))
        try await notes.delete("1")
        try await database.close()
        var (all, single) = (changes, one)
        #expect(await all.next()?.ids == ["1"])
        #expect(await all.next()?.ids == ["1"])
        #expect(await all.next() == nil)
        _ = try await single.next()
        while try await single.next() != nil {}
    }

    @Test("A loop ends when its task is cancelled")
    func cancellation() async throws {
        let started = AsyncStream<Void>.makeStream()
        let task = Task { [notes] in
            for try await _ in notes.live(of: Note.self) { started.continuation.yield() }
        }
        for await _ in started.stream { break }
        task.cancel()
        try await task.value
    }

    @Test("An observed value notifies its observers on the actor where it was created")
    @MainActor
    func observed() async throws {
        let open = Observed(notes.live(of: Note.self, orderBy: \.id), initial: [])
        #expect(open.value.isEmpty)
        try await changed {
            open.value
        } by: {
        }
        try await changed {
            open.value
        } by: {
            try await self.notes.save(Note(id: "1", title: "Milk"))
        }
        #expect(open.value.map(\.id) == ["1"])
        #expect(open.error == nil)
        #expect(!open.isEnded)
        try await changed {
            open.isEnded
        } by: {
            try await self.database.close()
        }
        #expect(open.isEnded)
    }

    @Test("An observed sequence reports the error that ended it")
    @MainActor
    func observedError() async throws {
        let rows = Observed(
            database.live("SELECT FROM", as: Note.self),
            initial: []
        )
        try await changed {
            rows.error != nil
        } by: {
        }
        #expect(rows.error is DivanError)
        #expect(rows.isEnded)
    }

    @Test("An observed value stops following when it is released")
    @MainActor
    func released() async throws {
        weak var observed: Observed<[Note]>?
        do {
            let kept = Observed(notes.live(of: Note.self), initial: [])
            observed = kept
            try await changed {
                kept.value
            } by: {
            }
        }
        #expect(observed == nil)
    }

    /// Runs `action` and waits until a property that `read` reads changes.
    @MainActor
    private func changed<Value>(
        _ read: @escaping @MainActor () -> Value,
        by action: @MainActor () async throws -> Void
    ) async throws {
        let changes = AsyncStream<Void>.makeStream()
        withObservationTracking {
            _ = read()
        } onChange: {
            changes.continuation.yield()
        }
        try await action()
        for await _ in changes.stream { break }
        // `onChange` is called before the change; it is made in the same turn of the main actor.
        await Task.yield()
    }
}
