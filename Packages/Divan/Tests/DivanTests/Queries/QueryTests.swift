import Divan
import Foundation
import Testing

/// Queries in SQL++ and with predicates.
@Suite struct QueryTests {
    struct Chair: Codable, Identifiable, Sendable, Equatable {
        var id: String
        var name: String
        var price: Double
        var seats = 1
        var tags: [String] = []
        var maker: Maker?
    }
    struct Maker: Codable, Sendable, Equatable { var town: String }

    private let database: Database
    private let chairs: DocumentCollection

    init() throws {
        database = try Database.inMemory(name: "shop")
        chairs = try database.collection("chairs")
        let all = [
            Chair(id: "bern", name: "Bern", price: 340.5, tags: ["leather"]),
            Chair(id: "oslo", name: "Oslo", price: 120, tags: ["light", "wood"]),
            Chair(id: "porto", name: "Porto", price: 89, seats: 3, maker: Maker(town: "Porto")),
            Chair(id: "udine", name: "Udine", price: 89, seats: 2, maker: Maker(town: "Udine")),
        ]
        let chairs = chairs
        try database.write { _ in for chair in all { try chairs.save(chair) } }
    }

    @Test("Parameters and properties may be variables of any type that documents store")
    func variables() throws {
        let (limit, isNew, ids) = (100.0, false, ["porto", "oslo"])
        let rows = try database.query(
            "SELECT name FROM chairs WHERE price < $limit AND META().id IN $ids",
            ["limit": limit, "ids": ids]
        )
        #expect(rows.count == 1)
        let document = Document(["price": limit, "new": isNew, "tags": ids])
        #expect(document.price?.double == 100)
        #expect(document.json.contains(#""tags":["porto","oslo"]"#))
    }

    @Test("Rows are read by name, by position and as types")
    func rows() throws {
        let rows = try database.query(
            "SELECT name, price FROM chairs WHERE price < $most ORDER BY price, name",
            ["most": 200]
        )
        #expect(rows.columns == ["name", "price"])
        #expect(rows.count == 3)
        let first = try #require(rows.first)
        #expect(first.name == "Porto")
        #expect(first[1]?.double == 89)
        #expect(first["none"] == nil)
        #expect(first[7] == nil)
        #expect(first.json == #"{"name":"Porto","price":89.0}"#)
        struct Title: Decodable, Equatable {
            var name: String
            var price: Double
        }
        #expect(try rows.rows(as: Title.self).last == Title(name: "Oslo", price: 120))
        #expect(try rows.values(as: String.self) == ["Porto", "Udine", "Oslo"])
        let total = try database.query("SELECT SUM(price) FROM chairs").value(as: Double.self)
        #expect(total == 638.5)
        let none = try database.query("SELECT MAX(price) FROM chairs WHERE price < 0")
        #expect(try none.value(as: Double.self) == nil)
    }

    @Test("SELECT * is decoded as the documents, with the ID if it is selected")
    func star() throws {
        struct Anonymous: Decodable {
            var name: String
            var seats: Int
        }
        let all = try database.query("SELECT * FROM chairs ORDER BY META().id")
        #expect(try all.rows(as: Anonymous.self).map(\.seats) == [1, 1, 3, 2])
        let withID = try database.query("SELECT META().id, * FROM chairs ORDER BY META().id")
        #expect(try withID.rows(as: Chair.self).map(\.id) == ["bern", "oslo", "porto", "udine"])
        #expect(try withID.rows(as: Chair.self).first?.tags == ["leather"])
    }

    @Test("Predicates use properties of structs that are not Equatable, and the counts of arrays")
    func nestedPredicates() throws {
        struct Address: Codable, Sendable {
            var city: String
            var tags: [String] = []
        }
        struct Site: Codable, Identifiable, Sendable {
            var id: String
            var address: Address
            var note: String?
            var visit: Date?
        }
        let sites = try database.collection("sites")
        let day = Date(timeIntervalSince1970: 86_400)
        for site in [
            Site(id: "1", address: Address(city: "Gent"), visit: day),
            Site(id: "2", address: Address(city: "Rome", tags: ["old", "big"]), note: ""),
        ] {
            try sites.save(site)
        }
        func ids(_ predicate: Predicate<Site>) throws -> [String] {
            try sites.documents(where: predicate, orderBy: \.id).all().map(\.id)
        }
        #expect(try ids(#Predicate { $0.address.city == "Gent" }) == ["1"])
        #expect(try ids(#Predicate { $0.address.tags.isEmpty }) == ["1"])
        #expect(try ids(#Predicate { $0.address.tags.count > 1 }) == ["2"])
        let empty = #Predicate<Site> { !$0.address.city.isEmpty && $0.note?.isEmpty == true }
        #expect(try ids(empty) == ["2"])
        #expect(try sites.documents(of: Site.self, orderBy: \.visit).all().map(\.id) == ["2", "1"])
    }

    @Test("Conditions on optional values mean the same as in memory, also for null")
    func optionalConditions() throws {
        struct Site: Codable, Identifiable, Sendable {
            var id: String
            var note: String?
            var tags: [String]?
            var isPaid: Bool?
        }
        let sites = try database.collection("sites")
        let all = [
            Site(id: "empty", note: "", tags: [], isPaid: false),
            Site(id: "full", note: "x", tags: ["a"], isPaid: true), Site(id: "none"),
        ]
        for site in all { try sites.save(site) }
        try sites.save(Document(id: "null", json: #"{"note":null,"tags":null,"isPaid":null}"#))
        let models = try sites.documents(of: Site.self, orderBy: .byID).all()
        #expect(models.count == 4)
        let predicates: [Predicate<Site>] = [
            #Predicate { $0.tags?.isEmpty == false }, #Predicate { $0.tags?.isEmpty == true },
            #Predicate { $0.tags?.isEmpty != false }, #Predicate { $0.tags?.isEmpty == nil },
            #Predicate { $0.note?.isEmpty == false }, #Predicate { $0.note?.isEmpty ?? true },
            #Predicate { $0.note?.contains("x") == false }, #Predicate { $0.isPaid ?? false },
            #Predicate { $0.note?.isEmpty ?? false }, #Predicate { $0.isPaid ?? true },
            #Predicate { !($0.isPaid ?? false) }, #Predicate { ($0.tags?.count ?? 0) == 0 },
        ]
        for predicate in predicates {
            let expected = try models.filter { try predicate.evaluate($0) }.map(\.id)
            let found = try sites.documents(where: predicate, orderBy: .byID).all().map(\.id)
            #expect(found == expected, "\(predicate)")
        }
    }

    @Test("A computed property is not taken for the one that it is computed from")
    func computedProperties() throws {
        struct Item: Codable, Sendable {
            var isDone: Bool
            var due: Int
        }
        struct Order: Codable, Identifiable, Sendable {
            var id: String
            var items: [Item]
            var openItems: [Item] { items.filter { !$0.isDone } }
            var dueItems: [Item] { items.filter { $0.due < 100 } }
        }
        let orders = try database.collection("orders")
        try orders.save(Order(id: "1", items: [Item(isDone: true, due: 1)]))
        #expect(try orders.documents(where: #Predicate<Order> { !$0.items.isEmpty }).count() == 1)
        for predicate in [
            #Predicate<Order> { $0.openItems.isEmpty },
            #Predicate<Order> { $0.dueItems.count == 1 },
        ] {
            let error = #expect(throws: DivanError.self) {
                try orders.documents(where: predicate).count()
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("A model that handles values that it cannot decode keeps its predicates")
    func tolerantModels() throws {
        enum Kind: String, Codable { case chair, other }
        struct Thing: Decodable, Identifiable, Sendable {
            var id: String
            var name: String
            var kind: Kind

            enum CodingKeys: String, CodingKey { case id, name, kind }

            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                id = try values.decode(String.self, forKey: .id)
                name = try values.decode(String.self, forKey: .name)
                do {
                    kind = try values.decode(Kind.self, forKey: .kind)
                } catch is DecodingError {
                    kind = .other
                }
            }
        }
        let oslo = #Predicate<Thing> { $0.name == "Oslo" }
        #expect(try chairs.documents(where: oslo).count() == 1)
    }

    @Test("A predicate that a query cannot use is named as it is written")
    func unusablePredicates() throws {
        enum Kind: String, Codable { case chair, table }
        struct Thing: Codable, Identifiable, Sendable {
            var id: String
            var kind: Kind
            var tags: [String]
        }
        func problem<Model: Decodable>(_ predicate: Predicate<Model>) throws -> String {
            let error = #expect(throws: DivanError.self) {
                try chairs.documents(where: predicate).count()
            }
            #expect(error?.code == .invalidArgument)
            return error?.description ?? ""
        }
        let unknown = try problem(#Predicate<Thing> { $0.tags == ["a"] })
        #expect(unknown.contains("make Kind CaseIterable"), "\(unknown)")
        #expect(!unknown.contains("CouchbaseLiteSwift"), "\(unknown)")
        let inner = try problem(#Predicate<Chair> { $0.tags.filter { $0.isEmpty }.count == 1 })
        #expect(inner.contains("filter in a predicate"), "\(inner)")
        let count = try problem(#Predicate<Chair> { $0.name.count == 3 })
        #expect(count.contains("count in a predicate"), "\(count)")
    }

    @Test("Predicates and key paths find documents")
    func predicates() throws {
        func ids(_ predicate: Predicate<Chair>) throws -> [String] {
            try chairs.documents(where: predicate, orderBy: .byID).all().map(\.id)
        }
        #expect(try ids(#Predicate { $0.price < 100 }) == ["porto", "udine"])
        #expect(try ids(#Predicate { $0.tags.contains("wood") }) == ["oslo"])
        #expect(
            try ids(#Predicate { $0.name.starts(with: "B") || $0.seats == 2 }) == ["bern", "udine"]
        )
        #expect(try ids(#Predicate { $0.maker?.town == "Udine" }) == ["udine"])
        // The ID is no property, but can be queried like one.
        #expect(try ids(#Predicate { $0.id == "oslo" }) == ["oslo"])
        let wanted = ["bern", "none"]
        #expect(try ids(#Predicate { wanted.contains($0.id) }) == ["bern"])
    }

    @Test("Results are sorted, limited and counted")
    func orders() throws {
        let byPrice = chairs.documents(
            of: Chair.self,
            orderBy: .ascending(\.price),
            .descending(\.name)
        )
        #expect(try byPrice.all().map(\.id) == ["udine", "porto", "oslo", "bern"])
        #expect(try byPrice.first()?.id == "udine")
        #expect(try byPrice.count() == 4)
        let cheap = chairs.documents(where: #Predicate<Chair> { $0.price < 200 }, orderBy: \.id)
        #expect(try cheap.count() == 3)
        #expect(try cheap.all().map(\.id) == ["oslo", "porto", "udine"])
        #expect(try chairs.documents(of: Chair.self, limit: 2).all().count == 2)
        var names: [String] = []
        try cheap.forEachDocument { names.append($0.name) }
        #expect(names == ["Oslo", "Porto", "Udine"])
        #expect(try cheap.explain().contains("SELECT"))
    }

    @Test("Documents of any shape are queried as documents")
    func anyShape() throws {
        let all = try chairs.documents(of: Document.self, orderBy: .byID).all()
        #expect(all.map(\.id) == ["bern", "oslo", "porto", "udine"])
        #expect(all[1].name == "Oslo")
        #expect(try all[1].revision == chairs.get("oslo")?.revision)
    }

    @Test("Pages continue after documents that were added or removed")
    func pages() throws {
        let query = chairs.documents(of: Chair.self, orderBy: \.price)
        let first = try query.page(of: 2)
        #expect(first.documents.map(\.id) == ["porto", "udine"])
        try chairs.delete("porto")
        try chairs.save(Chair(id: "aa", name: "Cheap", price: 1))
        let second = try query.page(of: 2, after: first.next)
        #expect(second.documents.map(\.id) == ["oslo", "bern"])
        let next = try #require(second.next)
        #expect(try query.page(of: 2, after: next).documents.isEmpty)
        expect(.invalidArgument) { _ = try query.page(of: 0) }
        expect(.invalidArgument) { _ = try query.page(of: 2, after: "x") }
    }

    @Test("A text index is searched, the best match first")
    func search() throws {
        try chairs.createIndex("words", .text("name", "tags[0]"))
        #expect(try chairs.search("oslo", index: "words", as: Chair.self).map(\.id) == ["oslo"])
        let light = chairs.documents(where: #Predicate<Chair> { $0.price < 200 })
            .matching("light OR leather", index: "words")
        #expect(try light.all().map(\.id) == ["oslo"])
        #expect(try chairs.indexes == ["words"])
        expect(.missingIndex) { _ = try chairs.search("oslo", index: "none") }
        expect(.invalidQuery) { _ = try chairs.search("\"", index: "words") }
        try chairs.deleteIndex("words")
        #expect(try chairs.indexes.isEmpty)
    }

    @Test("The nearest vectors are found with their distances")
    func nearest() throws {
        let points = try database.collection("points")
        for number in 0..<300 {
            let vector: DocumentValue = [.init(Double(number)), .init(Double(number % 7))]
            try points.save(Document(id: "p\(number)", ["vector": vector]))
        }
        try points.createIndex("vectors", .vectors("vector", dimensions: 2, centroids: 8))
        let found = try points.nearest(to: [42, 0], in: "vector", limit: 3)
        #expect(found.first?.document.id == "p42")
        #expect(found.map(\.distance) == found.map(\.distance).sorted())
        expect(.missingIndex) { _ = try chairs.nearest(to: [1], in: "vector") }
    }

    @Test("Rows are visited one by one")
    func visiting() throws {
        struct Enough: Error {}
        var count = 0
        #expect(throws: Enough.self) {
            try database.forEachRow("SELECT name FROM chairs") { _ in
                count += 1
                if count == 2 { throw Enough() }
            }
        }
        #expect(count == 2)
    }

    @Test("Mistakes in queries are errors with the position or the remedy")
    func errors() throws {
        expect(.invalidQuery) { _ = try database.query("SELECT FROM") }
        expect(.invalidQuery) { _ = try database.query("SELECT x FROM nowhere") }
        expect(.invalidQuery) { _ = try database.query("SELECT $a FROM chairs") }
        expect(.invalidQuery) { _ = try database.query("SELECT 1 FROM chairs", ["a": 1]) }
        expect(.invalidArgument) {
            let odd = #Predicate<Chair> { $0.name.count == 3 }
            _ = try chairs.documents(where: odd).all()
        }
        expect(.decodingFailed) {
            _ = try database.query("SELECT name FROM chairs").values(as: Int.self)
        }
    }

    @Test("Queries of async code stop when they are cancelled or exceed their time")
    func asynchronous() async throws {
        let rows = try await database.query("SELECT name FROM chairs")
        #expect(rows.count == 4)
        let slow = """
            SELECT COUNT(*) FROM chairs a JOIN chairs b ON 1 = 1 JOIN chairs c ON 1 = 1 \
            JOIN chairs d ON 1 = 1 JOIN chairs e ON 1 = 1 JOIN chairs f ON 1 = 1 \
            JOIN chairs g ON 1 = 1 JOIN chairs h ON 1 = 1 JOIN chairs i ON 1 = 1 \
            JOIN chairs j ON 1 = 1 JOIN chairs k ON 1 = 1 JOIN chairs l ON 1 = 1
            """
        let disk = try DiskDatabase()
        let others = try await disk.database.collection("chairs")
        for id in 0..<4 { try await others.save(Document(id: "\(id)")) }
        await #expect(throws: DivanError.self) {
            _ = try await disk.database.query(slow, limit: .milliseconds(20))
        }
        let task = Task { try await disk.database.query(slow) }
        task.cancel()
        do {
            _ = try await task.value
            Issue.record("the query was not cancelled")
        } catch DivanError.cancelled {
        }
    }

    @Test("Documents of any shape are sorted by the name of a property")
    func untypedOrder() throws {
        let query = chairs.documents(
            of: Document.self,
            orderBy: .descending("price"),
            .ascending("name")
        )
        #expect(try query.all().map(\.id) == ["bern", "oslo", "porto", "udine"])
        let towns = chairs.documents(of: Chair.self, orderBy: .descending("maker.town"), limit: 1)
        #expect(try towns.first()?.id == "udine")
        expect(.invalidQuery) {
            _ = try chairs.documents(of: Document.self, orderBy: .ascending("a[")).all()
        }
    }

    @Test("An error of decoding names the row and the column")
    func decodingProblems() throws {
        let missing = #expect(throws: DivanError.decodingFailed) {
            try database.query("SELECT prise FROM chairs").values(as: Double.self)
        }
        #expect(missing?.description.contains("row 1, column prise: the row has no value") == true)
        struct Tags: Decodable { var maker: Maker }
        let row = #expect(throws: DivanError.decodingFailed) {
            try database.query("SELECT maker FROM chairs ORDER BY name DESC").rows(as: Tags.self)
        }
        #expect(row?.place == "row 3", "\(row?.description ?? "")")
    }
}
