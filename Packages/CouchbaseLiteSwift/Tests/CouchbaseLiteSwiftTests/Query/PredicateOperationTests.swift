import CouchbaseLiteSwift
import Foundation
import Testing

/// Calculations, quantifiers and subscripts in predicates: queries find the same documents as in memory.
@Suite(.timeLimit(.minutes(5))) struct PredicateOperationTests {
    enum Kind: String, Codable, CaseIterable {
        case retail
        case wholesale = "bulk"
    }

    enum Level: Int, Codable, CaseIterable, Comparable {
        case low = 1
        case high = 2

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    struct Line: Codable, Equatable {
        var product: String
        var quantity: Int
        var price: Double
        var serials: [Int] = []
        var discount: Int?
        var color: String?
    }

    struct Order: Codable, Equatable {
        var customer: String
        var kind = Kind.retail
        var lines: [Line] = []
        var labels: [String: String] = [:]
        var paid = 0.0
        var due = 0.0
        var placed = Date(timeIntervalSince1970: 0)
        var shipped: Date?
        var nickname: String?
        var alias: String?
        var former: Kind?
        var level = Level.low
        var limit = Level.high
    }

    private static let orders = [
        "a": Order(
            customer: "Zoë Ångström",
            lines: [
                Line(product: "chair", quantity: 4, price: 12.5, serials: [7, 8]),
                Line(product: "table", quantity: 1, price: 80),
            ],
            labels: ["color": "red", "a.b": "x"],
            paid: 130,
            due: 130,
            shipped: Date(timeIntervalSince1970: 86_400),
            nickname: "Zoë Ångström",
            alias: "Zoë"
        ),
        "b": Order(
            customer: "Anna",
            kind: .wholesale,
            lines: [Line(product: "chair", quantity: 100, price: 9, serials: [-3])],
            labels: ["color": "blue"],
            paid: 450,
            due: 900,
            placed: Date(timeIntervalSince1970: 86_400),
            former: .retail
        ),
        "c": Order(customer: "Zoe", due: 7),
    ]

    private let shop: Chairs

    init() throws {
        shop = try Chairs.sold()
        for (id, order) in Self.orders {
            var document = TypedDocument(id: id, order)
            try shop.chairs.save(&document)
        }
    }

    private func expect(
        _ ids: [String],
        _ predicate: Predicate<Order>,
        isTotal: Bool = true,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let condition = DocumentCondition(predicate)
        let query = shop.chairs.documents(of: Order.self, where: condition, orderBy: .byID)
        #expect(try query.all().map(\.id) == ids, sourceLocation: location)
        // In memory, an index after the end and a division by zero trap.
        guard isTotal else { return }
        let expected = try Self.orders.filter { try predicate.evaluate($0.value) }.keys.sorted()
        #expect(ids == expected, sourceLocation: location)
    }

    @Test func `stored properties can be compared with each other`() throws {
        try expect(["b", "c"], #Predicate { $0.paid < $0.due })
        try expect(["a"], #Predicate { $0.paid >= $0.due })
        try expect(["a"], #Predicate { $0.paid == $0.due })
        try expect(["b", "c"], #Predicate { $0.paid != $0.due })
        try expect(["a"], #Predicate { ($0.nickname ?? "") == $0.customer })
        try expect(["b", "c"], #Predicate { $0.nickname == $0.alias })
        try expect(["a"], #Predicate { $0.nickname != $0.alias })
        try expect(["a"], #Predicate { ($0.shipped ?? $0.placed) > $0.placed })
    }

    @Test func `a predicate can calculate`() throws {
        try expect(["b"], #Predicate { $0.due - $0.paid > 100 })
        try expect(["b"], #Predicate { $0.paid / $0.due == 0.5 }, isTotal: false)
        try expect(["c"], #Predicate { $0.due + 1 == 8 })
        try expect(["b"], #Predicate { -$0.paid < -400 })
        let factor = 2.0
        try expect(["a"], #Predicate { $0.paid * factor - 1 == 259 })
        try expect(["c"], #Predicate { $0.lines.count * 10 % 3 == 0 })
        try expect(["a"], #Predicate { ($0.lines.count + 5) / 3 == 2 && $0.lines.count == 2 })
        try expect(["a", "b"], #Predicate { ($0.paid > 0 ? $0.paid : $0.due) > 100 })
        try expect(["a"], #Predicate { $0.paid > 200 ? $0.customer == "Bo" : $0.due > 7 })
    }

    @Test func `a predicate can test the items of an array`() throws {
        try expect(["a"], #Predicate { $0.lines.contains { $0.product == "table" } })
        try expect(["b"], #Predicate { $0.lines.contains { $0.quantity * 2 > 100 } })
        try expect(["a", "c"], #Predicate { $0.lines.allSatisfy { $0.quantity < 10 } })
        try expect(["a"], #Predicate { $0.lines.contains { $0.serials.contains(8) } })
        try expect(["b"], #Predicate { $0.lines.contains { $0.serials.contains { $0 < 0 } } })
        try expect(
            ["b"],
            #Predicate { order in order.lines.contains { $0.price * 50 == order.paid } }
        )
        try expect(["a"], #Predicate { $0.lines.contains { $0.serials.max() == 8 } })
        try expect(["b"], #Predicate { $0.lines.contains { ($0.serials.min() ?? 0) < 0 } })
        let sold = ["table", "lamp"]
        try expect(["a"], #Predicate { $0.lines.contains { sold.contains($0.product) } })
    }

    @Test func `a predicate can use keys, indexes and raw values`() throws {
        try expect(["a"], #Predicate { $0.labels["color"] == "red" })
        try expect(["a"], #Predicate { $0.labels["a.b"] == "x" })
        try expect(["c"], #Predicate { $0.labels["color"] == nil })
        try expect(["b"], #Predicate { $0.lines[0].quantity == 100 }, isTotal: false)
        try expect(["a"], #Predicate { $0.lines[1].product == "table" }, isTotal: false)
        try expect(["a", "b"], #Predicate { $0.lines.first?.product == "chair" })
        try expect(["b"], #Predicate { $0.kind.rawValue == "bulk" })
        try expect(["b"], #Predicate { $0.former?.rawValue == "retail" })
        let raw = ["bulk", "other"]
        try expect(["b"], #Predicate { raw.contains($0.kind.rawValue) })
    }

    @Test func `absent properties of items count as nil`() throws {
        try expect(["c"], #Predicate { $0.lines.allSatisfy { $0.discount == 5 } })
        try expect(["a", "b", "c"], #Predicate { $0.lines.allSatisfy { $0.discount == nil } })
        try expect(["c"], #Predicate { $0.lines.allSatisfy { $0.discount != nil } })
        try expect([], #Predicate { $0.lines.contains { $0.discount == 5 } })
        try expect(["a", "b"], #Predicate { $0.lines.contains { $0.discount != 5 } })
        try expect(["a", "b"], #Predicate { $0.lines.contains { !($0.color == "red") } })
        try expect(["c"], #Predicate { $0.lines.allSatisfy { $0.color == "red" } })
        try expect(["a", "b", "c"], #Predicate { ($0.nickname == "x") == false })
        try expect([], #Predicate { ($0.nickname == "x") != false })
        try expect(["a"], #Predicate { $0.nickname.flatMap { $0 == "x" } == false })
    }

    @Test func `calculations with absent values are nil`() throws {
        try expect([], #Predicate { $0.lines.contains { $0.discount.flatMap { $0 + 1 } == 1 } })
        try expect(["a", "b"], #Predicate { $0.lines.contains { ($0.discount ?? 0) + 1 == 1 } })
        try expect(
            [],
            #Predicate { $0.lines.contains { $0.serials.max().flatMap { $0 + 1 } == 1 } }
        )
        try expect(["a"], #Predicate { ($0.alias.flatMap { $0 == "Zoë" ? 1 : 2 }) == 1 })
        try expect(["b", "c"], #Predicate { ($0.alias.flatMap { $0 == "Zoë" ? 1 : 2 }) == nil })
    }

    @Test func `a long calculation is translated in linear time`() throws {
        func exceeds<Sum: StandardPredicateExpression>(
            _ sum: Sum,
            adding count: Int
        ) -> any StandardPredicateExpression<Bool> where Sum.Output == Double {
            let one = PredicateExpressions.build_Arg(1.0)
            guard count > 0 else {
                let limit = PredicateExpressions.build_Arg(920.0)
                return PredicateExpressions.build_Comparison(lhs: sum, rhs: limit, op: .greaterThan)
            }
            let next = PredicateExpressions.build_Arithmetic(lhs: sum, rhs: one, op: .add)
            return exceeds(next, adding: count - 1)
        }
        for count in [20, 24] {
            let long = Predicate<Order> { order in
                exceeds(
                    PredicateExpressions.build_KeyPath(root: order, keyPath: \.due),
                    adding: count
                )
            }
            try expect(count == 20 ? [] : ["b"], long)
        }
    }

    @Test func `values of the program can be parts of a predicate`() throws {
        let (search, none) = ("Ann", "")
        try expect(["b"], #Predicate { search.isEmpty || $0.customer.contains(search) })
        try expect(["a", "b", "c"], #Predicate { none.isEmpty || $0.customer.contains(none) })
        try expect(["a", "b", "c"], #Predicate { _ in search == "Ann" })
        try expect([], #Predicate { search < "A" && $0.due > 0 })
        let (middle, order) = (130.0, Order(customer: "x", due: 900))
        try expect(["a"], #Predicate { ((middle - 1.0)...(middle + 1.0)).contains($0.due) })
        try expect(["b"], #Predicate { $0.due == order.due })
        try expect(["a", "b", "c"], #Predicate { $0.due > -5 })
        let count = 1
        try expect(["b", "c"], #Predicate { ((count - 1)...(count * 1)).contains($0.lines.count) })
        let (nobody, somebody): (Kind?, Kind?) = (nil, .retail)
        try expect(["a", "b", "c"], #Predicate { nobody == nil || $0.former == nobody })
        try expect(["b"], #Predicate { somebody == nil || $0.former == somebody })
        try expect(["b", "c"], #Predicate { $0.nickname == order.nickname })
        try expect(["a"], #Predicate { $0.alias.flatMap { _ in 1 } == 1 })
    }

    @Test func `values are ordered as they are stored`() throws {
        try expect(["a", "b", "c"], #Predicate { $0.level < $0.limit })
        try expect([], #Predicate { $0.level >= $0.limit })
        try expect(["a", "b", "c"], #Predicate { $0.placed <= $0.placed })
    }

    @Test func `enums whose texts have another order cannot be compared`() throws {
        enum Size: String, Codable, CaseIterable, Comparable {
            case small, large

            static func < (left: Size, right: Size) -> Bool { left == .small && right == .large }
        }
        struct Sized: Codable {
            var size = Size.small
            var most = Size.large
        }
        let predicate = #Predicate<Sized> { $0.size < $0.most }
        let query = shop.chairs.documents(of: Sized.self, where: DocumentCondition(predicate))
        let error = #expect(throws: NSError.self) { try query.all() }
        #expect(error?.localizedDescription.contains("another order") == true)
    }

    @Test func `the greatest of texts is rejected`() throws {
        struct Tagged: Codable { var tags: [String] = [] }
        let predicate = #Predicate<Tagged> { $0.tags.max() == "a" }
        let query = shop.chairs.documents(of: Tagged.self, where: DocumentCondition(predicate))
        #expect(throws: NSError.self) { try query.all() }
    }

    @Test func `a negative index and a computed index are rejected`() throws {
        let last = #Predicate<Order> { $0.lines[-1].quantity == 1 }
        #expect(throws: NSError.self) { try expect([], last, isTotal: false) }
        let computed = #Predicate<Order> { $0.lines[$0.lines.count].quantity == 1 }
        #expect(throws: NSError.self) { try expect([], computed, isTotal: false) }
    }
}
