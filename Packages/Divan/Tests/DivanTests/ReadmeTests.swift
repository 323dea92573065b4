import Divan
import DivanTestKit
import Foundation
import Testing

/// The README's example, word for word.
@Suite(.timeLimit(.minutes(5))) struct ReadmeTests {
    private static func example() async throws {
        struct Note: Codable, Identifiable, Sendable {
            var id: String
            var title: String
            var done = false
        }

        let db = try await Database.open("shop")
        let notes = try await db.collection("notes")
        try await notes.save(Note(id: "1", title: "Milk"))
        try await notes.update("1", as: Note.self) { $0.done = true }
        print(try await notes.documents(where: #Predicate<Note> { $0.done }).count())
        for try await open in notes.live(where: #Predicate<Note> { !$0.done }) { print(open.count) }
    }

    @Test("The README's example saves, updates and finds a note")
    func example() async throws {
        let directory = try TemporaryDirectory()
        TestEnvironment.set("DIVAN_DIRECTORY", directory.path)
        let database = try await Database.open("shop")
        defer { TestEnvironment.set("DIVAN_DIRECTORY", nil) }
        let notes = try await database.collection("notes")
        let task = Task { try await Self.example() }
        for try await done in notes.live(where: #Predicate<Note> { $0.done })
        where done.map(\.title) == ["Milk"] {
            break
        }
        task.cancel()
        try? await task.value
    }
}
