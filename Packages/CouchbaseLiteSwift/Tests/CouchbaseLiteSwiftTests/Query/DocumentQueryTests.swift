import CouchbaseLiteSwift
import Foundation
import Testing

/// Typed queries: key paths of models instead of text.
@Suite(.timeLimit(.minutes(5))) struct DocumentQueryTests {
    struct Maker: Codable, Equatable, Sendable {
        var name: String
        var town: String?
    }

    enum Wood: String, Codable, CaseIterable, Sendable {
        case oak
        case pine
    }

    struct Chair: Codable, Equatable, Sendable {
        var name: String
        var price: Double?
        var seats = 1
        var isSold = false
        var made: Date?
        var wood: Wood?
        var maker: Maker?
        var tags: [String] = []
        var count = 1

        enum CodingKeys: String, CodingKey {
            case name
            case price
            case seats
            case isSold = "sold"
            case made
            case wood
            case maker
            case tags
            case count = "d"  // as the source is called inside
        }

        var shout: String { name.uppercased() }
    }

    let shop: Chairs

    init() throws {
        shop = try Chairs.sold()
        try save("oslo", Chair(name: "Oslo", price: 120, wood: .oak, tags: ["light", "50%"]))
        try save("bern", Chair(name: "Bern", price: 340.5, isSold: true, tags: ["leather"]))
        try save("porto", Chair(name: "Porto", price: nil, seats: 3, count: 7))
        let maker = Maker(name: "Sedia", town: "Udine")
        try save(
            "udine",
            Chair(name: "100% wool", price: 89, made: .init(timeIntervalSince1970: 0), maker: maker)
        )
    }

    private func document(_ id: String) throws -> Document {
        try #require(try shop.chairs.document(id: id))
    }

    private func save(_ id: String, _ chair: Chair) throws {
        var document = TypedDocument(id: id, chair)
        try shop.chairs.save(&document)
    }

    private func ids(_ condition: DocumentCondition<Chair>) throws -> [String] {
        let query = shop.chairs.documents(of: Chair.self, where: condition, orderBy: .byID)
        let found = try query.all().map(\.id)
        #expect(try query.count() == found.count)
        return found
    }

    @Test func `documents are filtered by one key path and sorted by another`() throws {
        let cheap = shop.chairs.documents(of: Chair.self, where: \.price < 200, orderBy: \.name)
        #expect(try cheap.all().map(\.content.name) == ["100% wool", "Oslo"])
        #expect(try cheap.first()?.id == "udine")
        let dear = shop.chairs.documents(of: Chair.self, orderBy: .descending(\.price), limit: 3)
        #expect(try dear.all().map(\.id) == ["porto", "bern", "oslo"])
        #expect(try shop.chairs.documents(of: Chair.self).count() == 4)
    }

    @Test func `comparisons have the same meaning as in Swift`() throws {
        #expect(try ids(\.price > 100) == ["bern", "oslo"])
        #expect(try ids(\.price >= 120 && \.price <= 120) == ["oslo"])
        #expect(try ids(\.price == nil) == ["porto"])
        #expect(try ids(\.price != nil) == ["bern", "oslo", "udine"])
        #expect(try ids(\.price != 89) == ["bern", "oslo", "porto"])
        #expect(try ids(!(\.price < 200)) == ["bern", "porto"])
        #expect(try ids(\.isSold == true || \.seats == 3) == ["bern", "porto"])
        #expect(try ids(\.name < "P" && \.name > "A") == ["bern", "oslo"])
        #expect(try ids(\.made < .now) == ["udine"])
        #expect(try ids(\.wood == .oak) == ["oslo"])
        #expect(try ids(\.count == 7) == ["porto"])
    }

    @Test func `values of another type are neither less nor greater`() throws {
        try shop.save("odd", ["name": 3, "price": "cheap", "seats": NSNull(), "tags": ["a": 1]])
        #expect(try ids2(\.price > 300) == ["bern"])
        #expect(try ids2(\.price < 100) == ["udine"])
        #expect(try ids2(\.name > "O") == ["oslo", "porto"])
        #expect(try ids2(\.name <= "100% wool") == ["udine"])
    }

    /// Only the IDs, because a document does not match the model.
    private func ids2(_ condition: DocumentCondition<Chair>) throws -> [String?] {
        let query = shop.chairs.documents(of: Chair.self, where: condition, orderBy: .byID)
        return try query.query().execute().map { $0.string(at: 0) }
    }

    @Test func `an array of objects can be searched`() throws {
        struct Firm: Codable, Sendable {
            var partners: [Maker]
        }
        for (id, town) in [("a", "Udine"), ("b", "Rome")] {
            let partners = [["name": "Nobody", "town": "Bath"], ["name": "Sedia", "town": town]]
            try shop.makers.save(document: MutableDocument(id: id, data: ["partners": partners]))
        }
        func ids(_ maker: Maker) throws -> [String] {
            try shop.makers.documents(
                of: Firm.self,
                where: .contains(\.partners, maker),
                orderBy: .byID
            )
            .all().map(\.id)
        }
        #expect(try ids(Maker(name: "Sedia", town: "Udine")) == ["a"])
        #expect(try ids(Maker(name: "Nobody", town: "Bath")) == ["a", "b"])
        #expect(try ids(Maker(name: "Sedia")) == [])
    }

    @Test func `strings and arrays can be searched`() throws {
        #expect(try ids(.hasPrefix(\.name, "100%")) == ["udine"])
        #expect(try ids(.hasPrefix(\.name, "%")) == [])
        #expect(try ids(.contains(\.name, "o")) == ["oslo", "porto", "udine"])
        #expect(try ids(.like(\.name, pattern: "_e%")) == ["bern"])
        #expect(try ids(.contains(\.tags, "leather")) == ["bern"])
        #expect(try ids(\.tags == ["light", "50%"]) == ["oslo"])
        #expect(try ids(.isOne(of: ["Oslo", "Bern"], \.name) && \.seats == 1) == ["bern", "oslo"])
        #expect(try ids(.hasID(in: ["oslo", "nobody"])) == ["oslo"])
    }

    @Test func `nil in a list of values matches null and missing properties`() throws {
        try shop.save("odd", ["name": "odd", "price": NSNull(), "seats": 1, "sold": false])
        #expect(try ids2(.isOne(of: [nil, 120], \.price)) == ["odd", "oslo", "porto"])
        #expect(try ids2(.isOne(of: [nil], \.price)) == ["odd", "porto"])
        let isListed: DocumentCondition<Chair> = .isOne(of: [nil, 120], \.price)
        #expect(try ids2(!isListed) == ["bern", "udine"])
        let isPriced: DocumentCondition<Chair> = .isOne(of: [120], \.price)
        #expect(try ids2(!isPriced) == ["bern", "odd", "porto", "udine"])
        #expect(try ids2(.isOne(of: [], \.price)) == [])
        #expect(try ids2(.isOne(of: [nil, .pine], \.wood) && \.price > 100) == ["bern"])
    }

    @Test func `hundreds of conditions can be combined`() throws {
        let price: DocumentCondition<Chair> = \.price == 120
        let none = Array(repeating: \Chair.price == 1, count: 500)
        let all = Array(repeating: price, count: 500)
        #expect(try ids(none.reduce(price) { $0 || $1 }) == ["oslo"])
        #expect(try ids(none.reduce(price) { $1 || $0 }) == ["oslo"])
        #expect(try ids(all.reduce(price) { $0 && $1 }) == ["oslo"])
        #expect(try ids(all.reduce(price) { $1 && $0 }) == ["oslo"])
        let seats: DocumentCondition<Chair> = \.seats == 3
        let either = (price || seats) && (price || \.isSold == true) || seats
        #expect(try ids(either) == ["oslo", "porto"])
    }

    @Test func `nested properties have key paths too`() throws {
        #expect(try ids(\.maker?.town == "Udine") == ["udine"])
        #expect(try ids(\.maker == Maker(name: "Sedia", town: "Udine")) == ["udine"])
        #expect(try ids(\.maker == nil) == ["bern", "oslo", "porto"])
    }

    @Test func `a value cannot inject query syntax`() throws {
        let evil = "x' OR 1=1 --\"`\\\0"
        #expect(try ids(\.name == evil) == [])
        try save("evil", Chair(name: evil))
        #expect(try ids(\.name == evil) == ["evil"])
        #expect(try ids(.contains(\.name, "' OR 1=1")) == ["evil"])
    }

    @Test func `a computed property is rejected with a hint`() throws {
        let query = shop.chairs.documents(of: Chair.self, where: \.shout == "OSLO")
        let error = #expect(throws: NSError.self) { try query.all() }
        #expect(error?.code == CBLError.invalidParameter)
        #expect(error?.localizedDescription.contains("use a stored property") == true)
        #expect(throws: NSError.self) { try ids(\.tags[0] == "light") }
        #expect(throws: NSError.self) { try ids(\.tags.count == 1) }
    }

    @Test func `documents are read one at a time and can be saved again`() async throws {
        var names: [String] = []
        for try await chair in shop.chairs.documents(of: Chair.self, orderBy: \.name) {
            names.append(chair.content.name)
        }
        #expect(names == ["100% wool", "Bern", "Oslo", "Porto"])
        var oslo = try #require(
            try shop.chairs.documents(of: Chair.self, where: \.name == "Oslo").first()
        )
        oslo.content.price = 130
        #expect(try shop.chairs.save(&oslo, concurrencyControl: .failOnConflict))
        try save("oslo", oslo.content)
        #expect(try !shop.chairs.save(&oslo, concurrencyControl: .failOnConflict))
    }

    @Test func `a live list updates when any property of a document changes`() async throws {
        let cheap = shop.chairs.documents(of: Chair.self, where: \.price < 200, orderBy: \.name)
        var changes = try cheap.changes().makeAsyncIterator()
        #expect(try await changes.next()?.map(\.id) == ["udine", "oslo"])
        try save("oslo", Chair(name: "Oslo", price: 120, seats: 2))
        #expect(try await changes.next()?.last?.content.seats == 2)
        try shop.chairs.delete(document: document("udine"))
        #expect(try await changes.next()?.map(\.id) == ["oslo"])
    }

    @Test func `a query uses the index on its property`() throws {
        try shop.chairs.createIndex(withName: "byPrice", config: ValueIndexConfiguration(["price"]))
        for condition: DocumentCondition<Chair> in [\.price > 100, \.price == 120, \.price < 3] {
            let query = shop.chairs.documents(of: Chair.self, where: condition)
            #expect(try query.query().explain().contains("USING INDEX"))
        }
    }

    @Test func `pages of any size return every document once in the same order`() throws {
        for number in 0..<40 {
            let price: Double? = number % 5 == 0 ? nil : Double(number % 7)
            try save("p\(number)", Chair(name: "N\(number % 3)", price: price, seats: number % 4))
        }
        try shop.save("bare", ["name": "bare", "seats": 1, "sold": false, "tags": [], "d": 1])
        let orders: [[DocumentOrder<Chair>]] = [
            [], [.ascending(\.price)], [.descending(\.price)],
            [.ascending(\.name), .descending(\.seats)],
            [.descending(\.made), .ascending(\.price)],
        ]
        for order in orders {
            for size in [1, 3, 45, 100] { try expectPages(of: size, order) }
        }
    }

    private func expectPages(of size: Int, _ orders: [DocumentOrder<Chair>]) throws {
        let query = DocumentQueryTests.query(shop.chairs, orders)
        let whole = try query.page(of: 1_000)
        #expect(whole.documents.count == 45 && whole.next == nil)
        var page = try query.page(of: size)
        var found = page.documents
        while let next = page.next {
            // Through text, as in a link.
            let cursor = DocumentCursor(next.text)
            #expect(cursor == next)
            page = try query.page(of: size, after: cursor)
            found += page.documents
        }
        #expect(found.map(\.id) == whole.documents.map(\.id))
    }

    private static func query(
        _ chairs: CouchbaseLiteSwift.Collection,
        _ orders: [DocumentOrder<Chair>]
    ) -> DocumentQuery<Chair> {
        switch orders.count {
        case 0: chairs.documents(of: Chair.self, limit: 2)
        case 1: chairs.documents(of: Chair.self, orderBy: orders[0])
        default: chairs.documents(of: Chair.self, orderBy: orders[0], orders[1])
        }
    }

    @Test func `a page whose cursor would be too large throws instead of ending the list`() throws {
        try save("long", Chair(name: String(repeating: "a", count: 1 << 20), price: 1))
        let query = shop.chairs.documents(of: Chair.self, orderBy: .descending(\.name))
        #expect(try query.page(of: 4).next != nil)
        #expect(throws: NSError.self) { try query.page(of: 1) }
        #expect(try query.all().count == 5)
    }

    @Test func `a modified cursor is rejected`() throws {
        for text in [
            "", "[]", "{}", "[1]", "[[1,2]]", "[[\"a\"],[1]]", "[[]]", "[[\"a\"]", "\u{0}",
        ] {
            #expect(DocumentCursor(text) == nil)
        }
        let query = shop.chairs.documents(of: Chair.self, orderBy: \.name)
        let foreign = try #require(DocumentCursor("[[\"oslo\"]]"))
        #expect(throws: NSError.self) { try query.page(of: 2, after: foreign) }
        #expect(throws: NSError.self) { try query.page(of: 0) }
    }
}

/// Models that are harder to examine.
@Suite struct DocumentPropertyTests {
    final class Note: Codable {
        @DocumentID var id: String?
        var title = ""
        var inner: [Note] = []
        var next: Note?
    }

    enum Size: String, Codable, Sendable {
        case small
    }

    struct Shirt: Codable, Sendable {
        var size: Size
        var price: Int
    }

    struct NamedShirt: Codable, DocumentKeyNaming, Sendable {
        var size: Size
        var price: Int

        static func documentKey(for keyPath: AnyKeyPath) -> String? {
            switch keyPath {
            case \NamedShirt.price: "price"
            case \NamedShirt.size: "size"
            default: nil
            }
        }
    }

    @Test func `a model's ID is the document ID, and recursive models are supported`() throws {
        let shop = try Chairs()
        let note = Note()
        (note.id, note.title) = ("n1", "Milk")
        try shop.makers.save(from: note)
        let byID = shop.makers.documents(of: Note.self, where: \.id == "n1")
        #expect(try byID.all().map(\.content.title) == ["Milk"])
        let byTitle = shop.makers.documents(of: Note.self, where: \.title == "Milk")
        let found = try #require(try byTitle.first()?.content)
        found.title = "Bread"
        #expect(try shop.makers.save(from: found, concurrencyControl: .failOnConflict))
        #expect(try shop.makers.documents(of: Note.self, where: \.next?.title == "x").count() == 0)
    }

    @Test func `a model that cannot be created from placeholders has to name its properties`()
        throws
    {
        let shop = try Chairs()
        try shop.makers.save(
            document: MutableDocument(id: "s", data: ["size": "small", "price": 9])
        )
        #expect(throws: NSError.self) {
            try shop.makers.documents(of: Shirt.self, where: \.price == 9).all()
        }
        let named = shop.makers.documents(
            of: NamedShirt.self,
            where: \.price == 9 && \.size == .small
        )
        #expect(try named.all().map(\.id) == ["s"])
    }

    struct Account: Codable, Sendable {
        var balance: Double
        var opened: Date
        var size: Double { abs(balance) }
        var credit: Double { max(0, balance) }
        var capped: Double { min(balance, 1_000) }
        var day: Date {
            let days = (opened.timeIntervalSince1970 / 86_400).rounded(.down)
            return Date(timeIntervalSince1970: days * 86_400)
        }
    }

    @Test func `computed properties of a number or date are rejected too`() throws {
        let shop = try Chairs()
        let data: [String: Any] = ["balance": -50, "opened": "2026-11-26T10:00:00.000Z"]
        try shop.makers.save(document: MutableDocument(id: "a", data: data))
        func count(_ condition: DocumentCondition<Account>) throws -> Int {
            try shop.makers.documents(of: Account.self, where: condition).count()
        }
        #expect(try count(\.balance == -50) == 1)
        #expect(try count(\.opened < .now) == 1)
        #expect(throws: NSError.self) { try count(\.size < 10) }
        #expect(throws: NSError.self) { try count(\.credit == 0) }
        #expect(throws: NSError.self) { try count(\.capped < 0) }
        #expect(throws: NSError.self) { try count(\.day < .now) }
        let predicate = #Predicate<Account> { $0.balance.magnitude < 10 }
        #expect(throws: NSError.self) { try count(DocumentCondition(predicate)) }
    }
}
