import Divan
import Foundation
import Synchronization
import Testing

/// Exports of the documents of a query.
@Suite struct QueryExportTests {
    private let shop: DiskDatabase
    private let notes: DocumentCollection

    init() throws {
        shop = try DiskDatabase()
        notes = try shop.database.collection("notes")
        for (id, title) in [("a", "Milk"), ("b", "Bread"), ("c", "Rice")] {
            try notes.save(Document(id: id, ["title": title, "done": id != "c"]))
        }
    }

    private var done: DocumentQuery<Note> {
        notes.documents(where: #Predicate<Note> { $0.done }, orderBy: \.title)
    }

    private func file(_ name: String) -> URL { shop.url.appending(path: name) }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: file(name), encoding: .utf8)
    }

    @Test func `a file contains the documents of the query in its order`() throws {
        #expect(try done.export(to: file("done.jsonl")).documentCount == 2)
        #expect(
            try text("done.jsonl") == """
                {"_id":"b","done":true,"title":"Bread"}
                {"_id":"a","done":true,"title":"Milk"}

                """
        )
        #expect(try done.export(to: file("done.csv")).documentCount == 2)
        #expect(try text("done.csv") == "_id,done,title\r\nb,true,Bread\r\na,true,Milk\r\n")
        #expect(try done.export(to: file("done"), as: .array).documentCount == 2)
        let copies = try shop.database.collection("copies")
        #expect(try copies.import(from: file("done")).savedCount == 2)
        #expect(try copies.ids() == ["a", "b"])
        #expect(try done.export(to: file("done.sqlite")).documentCount == 2)
        let table = String(decoding: try Data(contentsOf: file("done.sqlite")), as: UTF8.self)
        #expect(table.contains("Bread") && !table.contains("Rice"))
    }

    @Test func `a limit, a search and an empty result are exported`() throws {
        try notes.createIndex("words", .text("title"))
        let one = notes.documents(of: Document.self, orderBy: .descending("title"), limit: 1)
        try one.export(to: file("one.jsonl"))
        #expect(try text("one.jsonl").contains("Rice"))
        let milk = notes.documents(of: Note.self).matching("milk", index: "words")
        #expect(try milk.export(to: file("milk.csv")).documentCount == 1)
        #expect(try text("milk.csv") == "_id,done,title\r\na,true,Milk\r\n")
        let none = notes.documents(where: #Predicate<Note> { $0.title == "Salt" })
        #expect(try none.export(to: file("none.jsonl")).documentCount == 0)
        #expect(try text("none.jsonl").isEmpty)
    }

    @Test func `documents that do not match the type are exported completely`() throws {
        try notes.save(Document(id: "d", ["title": "Art", "done": true, "stars": "many"]))
        try done.export(to: file("done.jsonl"))
        #expect(try text("done.jsonl").hasPrefix(#"{"_id":"d","done":true,"stars":"many""#))
    }

    @Test(arguments: ["moved.jsonl", "moved.csv", "moved.sqlite"])
    func `in a transaction, the documents that are exported are those that are deleted`(
        _ name: String
    ) throws {
        let count = try shop.database.write { _ in
            try notes.save(Document(id: "d", ["title": "Salt", "done": true]))
            try done.export(to: file(name))
            return try done.delete()
        }
        #expect(count == 3)
        let bytes = String(decoding: try Data(contentsOf: file(name)), as: UTF8.self)
        #expect(bytes.contains("Salt") && bytes.contains("Milk") && !bytes.contains("Rice"))
        #expect(try notes.ids() == ["c"])
    }

    @Test func `a database in memory is exported`() throws {
        let notes = try Database.inMemory().collection("notes")
        try notes.save(Note(id: "a", title: "Milk"))
        try notes.save(Note(id: "b", title: "Bread", done: true))
        let done = notes.documents(where: #Predicate<Note> { $0.done })
        try done.export(to: file("memory.csv"))
        #expect(try text("memory.csv") == "_id,done,title\r\nb,true,Bread\r\n")
    }

    @Test func `an invalid query, and an error of the progress handler, leave no file`() throws {
        struct Stop: Error {}
        let odd = notes.documents(where: #Predicate<Note> { $0.title.count == 4 })
        expect(.invalidArgument) { try odd.export(to: file("odd.jsonl")) }
        expect(.missingIndex) {
            try notes.documents(of: Note.self).matching("a", index: "none")
                .export(to: file("odd.jsonl"))
        }
        #expect(throws: Stop.self) {
            try done.export(to: file("odd.jsonl")) { _ in throw Stop() }
        }
        #expect(!FileManager.default.fileExists(atPath: file("odd.jsonl").path))
    }

    @Test func `progress counts documents, and cancelling the task stops the export`() async throws
    {
        let reports = Mutex<[Database.ExchangeProgress]>([])
        try await done.export(to: file("done.jsonl")) { report in
            reports.withLock { $0.append(report) }
        }
        #expect(reports.withLock { $0.map(\.documentCount) } == [1, 2])
        #expect(reports.withLock { $0.map(\.totalCount) } == [2, 2])
        var last: Database.ExchangeProgress?
        let exporting: () throws -> Void = {
            try done.export(to: file("done.csv")) { last = $0 }
        }
        try exporting()
        #expect(last == .init(documentCount: 2, totalCount: 2))
        let target = file("stopped.jsonl")
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let isCancelled = DispatchSemaphore(value: 0)
        let task = Task { [done] in
            try await done.export(to: target) { _ in
                begin.yield()
                isCancelled.wait()
            }
        }
        for await _ in begun { break }
        task.cancel()
        isCancelled.signal()
        // The check before the second document stops it.
        await #expect { try await task.value } throws: { DivanError.cancelled ~= $0 }
        let early = Task { [done] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await done.export(to: target)
        }
        await #expect { try await early.value } throws: { DivanError.cancelled ~= $0 }
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }
}
