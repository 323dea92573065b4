import Divan
import Foundation

/// A note.
struct Note: Codable, Identifiable, Sendable {
    var id: String
    var number: Int
    var text: String
    var done = false

    var line: String { "\(id): \(text)\(done ? ", done" : "")" }
}

/// Reads commands from standard input: add TEXT, done ID, rm ID, list, quit.
func run(_ directory: String) async throws {
    let db = try await Database.open("notes", in: URL(filePath: directory))
    let notes = try await db.collection("notes")
    var changes = notes.changes.makeAsyncIterator()
    while let line = readLine(), line != "quit" {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "add":
            try await db.write { transaction in
                let counter = try transaction.collection("counters")
                    .update("note", default: Document(id: "note")) { $0.last = ($0.last ?? 0) + 1 }
                let number = counter.last ?? 1
                try notes.save(Note(id: "note-\(number)", number: number, text: rest))
            }
        case "done":
            do {
                try await notes.update(rest, as: Note.self) { $0.done = true }
            } catch DivanError.notFound {
                print("no note \(rest)")
                continue
            }
        case "rm":
            guard try await notes.delete(rest) else {
                print("no note \(rest)")
                continue
            }
        default:
            let all = try await notes.documents(of: Note.self, orderBy: \.number).all()
            for note in all { print(note.line) }
            continue
        }
        for id in await changes.next()?.ids ?? [] {
            let note = try await notes.get(id, as: Note.self)
            print(note.map { "changed \($0.line)" } ?? "removed \(id)")
        }
    }
    try await db.close()
}

do {
    try await run(CommandLine.arguments.dropFirst().first ?? ".")
} catch {
    print(error)
    exit(1)
}
