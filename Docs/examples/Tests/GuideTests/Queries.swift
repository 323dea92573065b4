import CouchbaseLiteSwift

func save(_ chairs: Collection) throws {
    let data: [(id: String, values: [String: Any])] = [
        ("oslo", ["name": "Oslo", "price": 120, "seats": 1, "tags": ["wood", "light"]]),
        ("bern", ["name": "Bern", "price": 340, "seats": 1, "tags": ["leather"]]),
        ("porto", ["name": "Porto", "price": 95, "seats": 3]),
    ]
    for (id, values) in data { try chairs.save(document: MutableDocument(id: id, data: values)) }
}

func namesOfCheapChairs(in database: Database, below price: Int) throws -> [String] {
    let query = try database.createQuery(
        "SELECT META().id, name FROM shop.chairs WHERE price < $price ORDER BY name"
    )
    query.parameters = Parameters().setInt(price, forName: "price")
    return try query.execute().map { $0.string(forKey: "name") ?? "?" }
}

struct Chair: Decodable {
    var id: String
    var name: String
    var price: Double?
}

func chairs(in database: Database) throws -> [Chair] {
    try database.createQuery("SELECT META().id, * FROM shop.chairs ORDER BY name")
        .execute().data(as: Chair.self, dataKey: "chairs")
}

func chairsBuiltInCode(_ chairs: Collection) -> any Query {
    QueryBuilder
        .select(SelectResult.property("name"), SelectResult.expression(Meta.id))
        .from(DataSource.collection(chairs))
        .where(Expression.property("price").lessThan(Expression.parameter("price")))
        .orderBy(Ordering.property("name"))
}

func index(_ chairs: Collection) throws {
    try chairs.createIndex(withName: "byPrice", config: ValueIndexConfiguration(["price"]))
    try chairs.createIndex(withName: "byTag", config: ArrayIndexConfiguration(path: "tags"))
    try chairs.createIndex(
        withName: "words",
        config: FullTextIndexConfiguration(["name", "story"], language: "en")
    )
}

struct ReviewModel: PredictiveModel {
    func predict(input: DictionaryObject) -> DictionaryObject? {
        guard let text = input.string(forKey: "text") else { return nil }
        let mood = text.contains("love") ? "happy" : "neutral"
        return MutableDictionaryObject(data: ["mood": mood, "length": text.count])
    }
}

func moods(of chairs: Collection, in database: Database) throws -> any Query {
    Database.prediction.registerModel(ReviewModel(), withName: "review")
    let index = IndexBuilder.predictiveIndex(
        model: "review",
        input: Expression.dictionary(["text": Expression.property("story")]),
        properties: ["mood"]
    )
    try chairs.createIndex(index, name: "byMood")
    return try database.createQuery(
        "SELECT name FROM shop.chairs WHERE PREDICTION(review, {'text': story}).mood = 'happy'"
    )
}

func follow(_ query: any Query, _ show: ([Result]) -> Bool) async throws {
    for try await change in query.changes() {
        guard show(change.results?.allResults() ?? []) else { return }
    }
}

struct Seat: Codable {
    var name: String
    var price: Double?
    var seats = 1
}

func cheapSeats(_ chairs: Collection) throws -> [String] {
    let condition = \Seat.price < 130 && \Seat.seats == 1
    let cheap = chairs.documents(of: Seat.self, where: condition, orderBy: \.name)
    return try cheap.all().map(\.content.name)
}

func everySeat(_ chairs: Collection) throws -> [String] {
    let query = chairs.documents(of: Seat.self, orderBy: .descending(\.price))
    var page = try query.page(of: 2)
    var ids = page.documents.map(\.id)
    while let next = page.next {
        page = try query.page(of: 2, after: next)
        ids += page.documents.map(\.id)
    }
    return ids
}

func onlyOwn(_ notes: Collection, of user: String) throws -> CollectionConfiguration {
    var configuration = CollectionConfiguration(collection: notes)
    configuration.pushFilter = try Collection.filter(
        where: "owner = $user AND kind <> 'draft'",
        parameters: Parameters().setString(user, forName: "user")
    )
    return configuration
}
