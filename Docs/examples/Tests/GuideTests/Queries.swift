import Divan
import Foundation

func save(_ chairs: DocumentCollection) throws {
    let data: [String: [String: DocumentValue]] = [
        "oslo": ["name": "Oslo", "price": 120, "seats": 1, "tags": ["wood", "light"]],
        "bern": ["name": "Bern", "price": 340, "seats": 1, "tags": ["leather"]],
        "porto": ["name": "Porto", "price": 95, "seats": 3],
    ]
    for (id, properties) in data { try chairs.save(Document(id: id, properties)) }
}

func namesOfCheapChairs(in db: Database, below price: Int) throws -> [String] {
    let sql = "SELECT name FROM shop.chairs WHERE price < $price ORDER BY name"
    return try db.query(sql, ["price": DocumentValue(price)]).values()
}

struct Chair: Codable, Identifiable, Sendable {
    var id: String
    var name: String
    var price: Double
    var seats = 1
}

func chairs(in db: Database) throws -> [Chair] {
    try db.query("SELECT META().id, * FROM shop.chairs ORDER BY name").rows()
}

func cheapSeats(_ chairs: DocumentCollection) throws -> [String] {
    let cheap = #Predicate<Chair> { $0.price < 130 && $0.seats == 1 }
    return try chairs.documents(where: cheap, orderBy: \.name).all().map(\.name)
}

enum Wood: String, Codable, CaseIterable, Sendable { case oak, pine }

struct Table: Codable, Identifiable, Sendable {
    var id: String
    var wood: Wood
    var price: Double
    var made: Date
    var note: String?
}

func newOakTables(_ tables: DocumentCollection, days: Int, below limit: Int) throws -> [String] {
    let oak = Wood.oak
    let start = Date.now.addingTimeInterval(-86_400 * Double(days))
    let price = Double(limit)
    let found = #Predicate<Table> {
        $0.wood == oak && $0.made > start && $0.price < price && $0.note?.contains("new") == true
    }
    return try tables.documents(where: found, orderBy: .byID).ids()
}

func clearCheap(_ chairs: DocumentCollection, into file: URL) throws -> Int {
    let cheap = chairs.documents(where: #Predicate<Chair> { $0.price < 100 }, orderBy: \.name)
    // In one transaction, so that the file contains exactly the documents that are deleted.
    return try chairs.database.write { _ in
        try cheap.export(to: file)  // .jsonl, .csv or .sqlite
        return try cheap.delete()  // or purge(), which is not synced
    }
}

func everyChair(_ chairs: DocumentCollection) throws -> [String] {
    let query = chairs.documents(of: Chair.self, orderBy: .descending(\.price))
    var page = try query.page(of: 2)
    var ids = page.documents.map(\.id)
    while let next = page.next {
        page = try query.page(of: 2, after: next)
        ids += page.documents.map(\.id)
    }
    return ids
}

func index(_ chairs: DocumentCollection) throws {
    try chairs.createIndex("byPrice", .values("price"))
    try chairs.createIndex("byTag", .items(of: "tags"))
    try chairs.createIndex("words", .text("name", "story", language: "en"))
}

func search(for input: String, in chairs: DocumentCollection) throws -> [String] {
    let words = Index.searchText(escaping: input, completing: true)
    return try chairs.documents(of: Chair.self, limit: 20).matching(words, index: "words")
        .all().map(\.name)
}

func similar(
    to text: String,
    in chairs: DocumentCollection,
    embed: ([String]) throws -> [[Float]]
) throws -> [Chair] {
    try chairs.createIndex("meaning", .vectors("story", dimensions: 384, isLazy: true))
    // Passes the stories that were added or changed since the last call.
    try chairs.updateVectors(of: "meaning") { stories in
        try embed(stories.map { $0.string ?? "" })
    }
    guard let target = try embed([text]).first else { return [] }
    return try chairs.nearest(to: target, in: "story", as: Chair.self).map(\.document)
}

func happyChairs(_ chairs: DocumentCollection) throws -> [String] {
    Database.registerPrediction("review") { input in
        guard let text = input["text"]?.string else { return nil }
        return ["mood": text.contains("love") ? "happy" : "neutral"]
    }
    let mood = "PREDICTION(review, {'text': story}).mood"
    try chairs.createIndex("byMood", .values(mood))
    return try chairs.database.query("SELECT name FROM shop.chairs WHERE \(mood) = 'happy'")
        .values()
}

func follow(_ chairs: DocumentCollection, _ show: ([Chair]) -> Bool) async throws {
    for try await cheap in chairs.live(where: #Predicate<Chair> { $0.price < 100 }) {
        guard show(cheap) else { return }
    }
}

func onlyOwn(_ notes: DocumentCollection, of user: String) -> Sync.Selection {
    let condition = "owner = $user AND kind <> 'draft'"
    return Sync.Selection(notes, push: .where(condition, ["user": DocumentValue(user)]))
}

func hand(_ id: String, to user: String, in notes: DocumentCollection) throws {
    try notes.database.write { _ in
        guard let old = try notes.get(id) else { return }
        var copy = try Document(json: old.json)  // with a new ID
        copy.owner = DocumentValue(user)
        try notes.save(copy)
        try notes.delete(id)  // passes every filter by properties
    }
}
