import CouchbaseLiteSwift
import Divan
import DivanDatabase
import Foundation

/// The same work through both APIs, in turns: `Divan` is ours, `CouchbaseLiteSwift` the floor.
struct APIFigures {
    private static let readCount = 20_000
    private static let saveCount = 5_000
    private static let turns = 5

    private let modern: Divan.Database
    private let official: CouchbaseLiteSwift.Database
    private let documents: DocumentCollection
    private let collection: CouchbaseLiteSwift.Collection

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        var configuration = DatabaseConfiguration()
        configuration.directory = workplace.directory
        for name in ["modern", "official"] {
            let store = try Store.open(directory: "\(workplace.directory)/\(name).cblite2")
            try QueryDocuments.fill(store)
            try store.close()
        }
        let modern = try Divan.Database.open(
            "modern",
            in: URL(filePath: workplace.directory, directoryHint: .isDirectory)
        )
        let official = try CouchbaseLiteSwift.Database(name: "official", config: configuration)
        defer {
            try? modern.close()
            try? official.close()
        }
        let figures = APIFigures(
            modern: modern,
            official: official,
            documents: try modern.documents,
            collection: try official.defaultCollection()
        )
        try figures.measureReading(&report)
        try figures.measureQueries(&report)
        try figures.measureSaving(&report)
    }

    // MARK: Reading

    private func measureReading(_ report: inout Report) throws {
        try compare(
            "one property of a document read by ID",
            count: Self.readCount,
            &report,
            ours: { id in try documents.get(id)?["kind"] as String? != nil },
            theirs: { id in try collection.document(id: id)?.string(forKey: "kind") != nil }
        )
        try compare(
            "document read by ID as JSON text",
            count: Self.readCount,
            &report,
            ours: { id in try documents.get(id)?.json != nil },
            theirs: { id in try collection.document(id: id)?.toJSON() != nil }
        )
        try compare(
            "model read by ID",
            count: Self.readCount,
            &report,
            ours: { id in try documents.get(id, as: Chair.self) != nil },
            theirs: { id in try collection.document(id: id, as: OfficialChair.self) != nil }
        )
    }

    /// Compares work on random documents.
    private func compare(
        _ name: String,
        count: Int,
        _ report: inout Report,
        ours: (String) throws -> Bool,
        theirs: (String) throws -> Bool
    ) throws {
        func each(_ body: (String) throws -> Bool) throws {
            var generator = Xorshift()
            for _ in 0..<count {
                let id = QueryDocuments.id(Int(generator.next() % UInt64(QueryDocuments.count)))
                guard try body(id) else { throw BenchFailure("\(name): \(id) is missing") }
            }
        }
        try compare(
            name,
            count,
            &report,
            ours: { _ in try each(ours) },
            theirs: { _ in try each(theirs) }
        )
    }

    /// Compares work whose time is taken in turns; the argument is the number of the turn.
    private func compare(
        _ name: String,
        _ count: Int,
        _ report: inout Report,
        ours: (Int) throws -> Void,
        theirs: (Int) throws -> Void
    ) throws {
        var turns = Turns()
        for turn in 0..<Self.turns {
            var seconds: [Bool: Double] = [:]
            for isOurs in PairedStores.order(of: turn) {
                seconds[isOurs] = try Stopwatch.best(of: 1) {
                    try isOurs ? ours(turn) : theirs(turn)
                }
            }
            turns.add(ours: seconds[true] ?? .infinity, floor: seconds[false] ?? .infinity)
        }
        let middle = turns.middle
        report.add(
            Figure(
                name: "both APIs: \(name)",
                unit: "1/s",
                ours: Double(count) / middle.ours,
                floor: Double(count) / middle.floor,
                floorName: "the official API"
            )
        )
    }

    // MARK: Queries

    private func measureQueries(_ report: inout Report) throws {
        let count = QueryDocuments.count
        let names = "SELECT name, price FROM _"
        let query = try official.createQuery(names)
        let all = try official.createQuery("SELECT * FROM _")
        try compare("row of 100,000 in turn, two columns", count, &report) { _ in
            var sum = 0
            for row in try modern.query(names) { sum += (row["price"] as Int?) ?? 0 }
            try check(sum)
        } theirs: { _ in
            var sum = 0
            for row in try query.execute() { sum += row.int(forKey: "price") }
            try check(sum)
        }
        try compare("row of 100,000 as it is found, two columns", count, &report) { _ in
            var sum = 0
            try modern.forEachRow(names) { row in sum += (row["price"] as Int?) ?? 0 }
            try check(sum)
        } theirs: { _ in
            var sum = 0
            for row in try query.execute() { sum += row.int(forKey: "price") }
            try check(sum)
        }
        try compare("row of 100,000 as a value of a type", count, &report) { _ in
            let rows = try modern.query(names).rows(as: Offer.self)
            try check(rows.reduce(0) { $0 + $1.price })
        } theirs: { _ in
            let rows = try query.execute().data(as: Offer.self)
            try check(rows.reduce(0) { $0 + $1.price })
        }
        try compare("row of 100,000 as JSON text, SELECT *", count, &report) { _ in
            var byteCount = 0
            try modern.forEachRow("SELECT * FROM _") { byteCount += $0.json.utf8.count }
            try check(byteCount)
        } theirs: { _ in
            var byteCount = 0
            for row in try all.execute() { byteCount += row.toJSON().utf8.count }
            try check(byteCount)
        }
    }

    private func check(_ sum: Int) throws {
        guard sum > 0 else { throw BenchFailure("a query has no rows") }
    }

    // MARK: Saving

    private func measureSaving(_ report: inout Report) throws {
        let texts = try (0..<Self.saveCount).map {
            String(decoding: try QueryDocuments.body($0), as: UTF8.self)
        }
        let chairs = try texts.map { try JSONDecoder().decode(Content.self, from: Data($0.utf8)) }
        try measureDocuments(texts, &report)
        try measureModels(chairs, &report)
        try compare("property changed, 1,000 per transaction", Self.saveCount, &report) { turn in
            try inTransactions { number in
                try documents.update(QueryDocuments.id(number)) { $0.price = turn }
            }
        } theirs: { turn in
            try inBatches { number in
                guard let document = try collection.document(id: QueryDocuments.id(number)) else {
                    throw BenchFailure("document \(number) is missing")
                }
                let changed = document.toMutable()
                changed.setInt(turn, forKey: "price")
                try collection.save(document: changed)
            }
        }
    }

    private func measureDocuments(_ texts: [String], _ report: inout Report) throws {
        let ours = try (0..<Self.turns).map { turn in
            try texts.enumerated().map { number, text in
                try Divan.Document(id: "text-\(turn)-\(number)", json: text)
            }
        }
        let theirs = try (0..<Self.turns).map { turn in
            try texts.enumerated().map { number, text in
                try MutableDocument(id: "text-\(turn)-\(number)", json: text)
            }
        }
        try compare("new document saved, 1,000 per transaction", texts.count, &report) { turn in
            try inTransactions { _ = try documents.save(ours[turn][$0]) }
        } theirs: { turn in
            try inBatches { try collection.save(document: theirs[turn][$0]) }
        }
    }

    private func measureModels(_ contents: [Content], _ report: inout Report) throws {
        let ours = (0..<Self.turns).map { turn in
            contents.enumerated().map { Chair(id: "model-\(turn)-\($0)", content: $1) }
        }
        let theirs = (0..<Self.turns).map { turn in
            contents.enumerated().map { OfficialChair(id: "model-\(turn)-\($0)", content: $1) }
        }
        for what in ["new", "existing"] {
            try compare("\(what) model saved, 1,000 per transaction", contents.count, &report) {
                turn in
                try inTransactions { try documents.save(ours[turn][$0]) }
            } theirs: { turn in
                try inBatches { try collection.save(from: theirs[turn][$0]) }
            }
        }
    }

    private func inTransactions(_ body: (Int) throws -> Void) throws {
        for start in stride(from: 0, to: Self.saveCount, by: 1_000) {
            try modern.write { _ in for number in start..<start + 1_000 { try body(number) } }
        }
    }

    private func inBatches(_ body: (Int) throws -> Void) throws {
        for start in stride(from: 0, to: Self.saveCount, by: 1_000) {
            try official.inBatch { for number in start..<start + 1_000 { try body(number) } }
        }
    }
}

// MARK: Models

/// What `QueryDocuments` contains.
private struct Content: Codable {
    struct Size: Codable {
        var city: String
        var w: Int
    }

    struct Part: Codable {
        var n: String
        var qty: Int
    }

    var active: Bool
    var dims: Size
    var kind: String
    var maker: String
    var name: String
    var parts: [Part]
    var price: Int
    var story: String
    var unique: Int
    var zone: Int
}

private struct Chair: Codable, Identifiable {
    var id: String
    var active: Bool
    var dims: Content.Size
    var kind: String
    var maker: String
    var name: String
    var parts: [Content.Part]
    var price: Int
    var story: String
    var unique: Int
    var zone: Int

    init(id: String, content: Content) {
        self.id = id
        active = content.active
        dims = content.dims
        kind = content.kind
        maker = content.maker
        name = content.name
        parts = content.parts
        price = content.price
        story = content.story
        unique = content.unique
        zone = content.zone
    }
}

private final class OfficialChair: Codable {
    @DocumentID var id: String?
    var active: Bool
    var dims: Content.Size
    var kind: String
    var maker: String
    var name: String
    var parts: [Content.Part]
    var price: Int
    var story: String
    var unique: Int
    var zone: Int

    init(id: String, content: Content) {
        active = content.active
        dims = content.dims
        kind = content.kind
        maker = content.maker
        name = content.name
        parts = content.parts
        price = content.price
        story = content.story
        unique = content.unique
        zone = content.zone
        self.id = id
    }
}

/// A row of two columns.
private struct Offer: Codable {
    var name: String
    var price: Int
}
