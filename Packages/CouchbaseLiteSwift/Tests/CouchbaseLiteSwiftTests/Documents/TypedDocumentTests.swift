import CouchbaseLiteSwift
import Foundation
import Testing

/// Documents as values: an addition to `api-map.md` §18.
@Suite struct TypedDocumentTests {
    struct Task: Codable, Equatable, Sendable {
        var title: String
        var due: Date?
        var steps: [String] = []
    }

    struct Named: Codable {
        @DocumentID var id: String?
        var title: String
    }

    let home: TemporaryDatabase
    let tasks: CouchbaseLiteSwift.Collection

    init() throws {
        home = try TemporaryDatabase()
        tasks = try home.collection
    }

    @Test func `a struct is saved, read, edited and deleted`() throws {
        var task = TypedDocument(id: "milk", Task(title: "Buy milk", steps: ["go", "pay"]))
        #expect(task.revisionID == nil)
        try tasks.save(&task)
        let first = try #require(task.revisionID)
        var again = try #require(try tasks.typedDocument(id: "milk", of: Task.self))
        #expect(again.content == task.content)
        #expect(again.revisionID == first)
        again.content.due = Date(timeIntervalSince1970: 1)
        try tasks.save(&again)
        #expect(again.revisionID?.hasPrefix("2-") == true)
        #expect(try tasks.document(id: "milk")?.date(forKey: "due")?.timeIntervalSince1970 == 1)
        #expect(try tasks.delete(&again))
        #expect(try tasks.typedDocument(id: "milk", of: Task.self) == nil)
    }

    @Test func `saving the older of two copies is a conflict`() throws {
        var mine = TypedDocument(id: "milk", Task(title: "Buy milk"))
        try tasks.save(&mine)
        var theirs = mine
        theirs.content.title = "Buy oats"
        #expect(try tasks.save(&theirs, concurrencyControl: .failOnConflict))
        mine.content.title = "Buy soy"
        #expect(try !tasks.save(&mine, concurrencyControl: .failOnConflict))
        #expect(try !tasks.delete(&mine, concurrencyControl: .failOnConflict))
        #expect(try tasks.document(id: "milk")?.string(forKey: "title") == "Buy oats")
        try tasks.save(&mine)
        #expect(try tasks.document(id: "milk")?.string(forKey: "title") == "Buy soy")
    }

    @Test func `keys that the struct does not declare are kept`() throws {
        let newer = #"{"newer":{"x":[1]},"steps":[],"title":"Buy milk"}"#
        try tasks.save(document: try MutableDocument(id: "milk", json: newer))
        var task = try #require(try tasks.typedDocument(id: "milk", of: Task.self))
        task.content.title = "Buy oats"
        try tasks.save(&task)
        let stored = try #require(try tasks.document(id: "milk")).toJSON()
        #expect(stored == #"{"due":null,"newer":{"x":[1]},"steps":[],"title":"Buy oats"}"#)
    }

    @Test func `rolling back a batch restores a typed document`() throws {
        var task = TypedDocument(Task(title: "Buy milk"))
        #expect(throws: NSError.self) {
            try home.database.inBatch {
                try tasks.save(&task)
                throw CancellationError()
            }
        }
        #expect(task.revisionID == nil)
        #expect(try tasks.save(&task, concurrencyControl: .failOnConflict))
    }

    @Test func `a value that cannot be stored as a document is rejected`() throws {
        var number = TypedDocument(id: "n", 7)
        #expect { try tasks.save(&number) } throws: {
            ($0 as NSError).code == CBLError.encodingError
        }
        var named = TypedDocument(id: "n", Named(title: "two IDs"))
        #expect { try tasks.save(&named) } throws: {
            ($0 as NSError).code == CBLError.invalidParameter
        }
        var unsaved = TypedDocument(id: "n", Task(title: "never saved"))
        #expect { try tasks.delete(&unsaved) } throws: {
            ($0 as NSError).code == CBLError.notFound
        }
        try tasks.save(document: MutableDocument(id: "n", data: ["title": 7]))
        #expect { try tasks.typedDocument(id: "n", of: Task.self) } throws: {
            ($0 as NSError).code == CBLError.decodingError
        }
        #expect(tasks.count == 1)
    }
}
