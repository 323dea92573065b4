import CouchbaseLiteSwift
import DivanTestKit

/// The database, and a model of what it must contain.
final class ModeledDatabase {
    let database: Database
    private(set) var chairs: [String: Chair] = [:]
    private(set) var makers: [Int: String] = [:]
    private let chairCollection: CouchbaseLiteSwift.Collection
    private let makerCollection: CouchbaseLiteSwift.Collection
    /// No query reads it.
    private let visits: CouchbaseLiteSwift.Collection
    private let chairCount: Int
    private var random: SeededGenerator

    init(chairCount: Int, seed: UInt64, in directory: TemporaryDirectory) throws {
        self.chairCount = chairCount
        random = SeededGenerator(seed: seed)
        var configuration = DatabaseConfiguration()
        configuration.directory = directory.path
        database = try Database(name: "live", config: configuration)
        chairCollection = try database.createCollection(name: "chairs")
        makerCollection = try database.createCollection(name: "makers")
        visits = try database.createCollection(name: "visits")
        try chairCollection.createIndex(
            withName: "kinds",
            config: ValueIndexConfiguration(["kind"])
        )
        try chairCollection.createIndex(
            withName: "prices",
            config: ValueIndexConfiguration(["price"])
        )
        try chairCollection.createIndex(
            withName: "tagged",
            config: ArrayIndexConfiguration(path: "tags")
        )
        try chairCollection.createIndex(
            withName: "words",
            config: FullTextIndexConfiguration(["note"], language: "")
        )
        try database.inBatch {
            for number in 0..<Chair.makers { _ = try rename(number) }
            for number in 0..<chairCount where number % 10 != 0 {
                _ = try save(Chair(id: "c\(number)", &random))
            }
        }
    }

    func inquiry(_ number: Int) -> Inquiry { Inquiry.random(number, &random) }

    /// One commit of any kind.
    func commit() throws -> [Change] {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<70: return [try save(next())]
        case 70..<78:
            var changes: [Change] = []
            try database.inBatch {
                for _ in 0..<Int.random(in: 2...5, using: &random) {
                    changes.append(try save(next()))
                }
            }
            return changes
        case 78..<86:
            guard let chair = anyChair, let document = try chairCollection.document(id: chair.id)
            else { return [try save(next())] }
            try chairCollection.delete(document: document)
            chairs[chair.id] = nil
            return [.chair(chair, nil)]
        case 86..<92: return [try save(anyChair ?? next())]
        case 92..<96: return [try rename(Int.random(in: 0..<Chair.makers, using: &random))]
        default:
            try visit()
            return []
        }
    }

    /// A commit that changes one chair.
    func commitOne() throws -> [Change] { [try save(next())] }

    /// A commit in a collection that no query reads.
    func visit() throws {
        let document = MutableDocument(id: "v\(Int.random(in: 0..<50, using: &random))")
        try visits.save(document: document.setInt(1, forKey: "n"))
    }

    /// Purges a chair, which counts as a change for every query over the collection.
    func purge() throws -> [Change] {
        guard let chair = anyChair else { return [] }
        try chairCollection.purge(id: chair.id)
        chairs[chair.id] = nil
        return [.chair(chair, nil)]
    }

    private var anyChair: Chair? {
        for _ in 0..<100 {
            if let chair = chairs["c\(Int.random(in: 0..<chairCount, using: &random))"] {
                return chair
            }
        }
        return nil
    }

    private func next() -> Chair {
        let id = "c\(Int.random(in: 0..<chairCount, using: &random))"
        return chairs[id]?.changed(&random) ?? Chair(id: id, &random)
    }

    private func save(_ chair: Chair) throws -> Change {
        try chairCollection.save(document: MutableDocument(id: chair.id, data: chair.body))
        defer { chairs[chair.id] = chair }
        return .chair(chairs[chair.id], chair)
    }

    private func rename(_ number: Int) throws -> Change {
        let name = "maker \(Int.random(in: 0..<1_000, using: &random))"
        try makerCollection.save(document: MutableDocument(id: "m\(number)", data: ["name": name]))
        makers[number] = name
        return .maker(number)
    }
}
