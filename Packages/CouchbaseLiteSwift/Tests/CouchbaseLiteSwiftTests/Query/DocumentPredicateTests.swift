import CouchbaseLiteSwift
import Foundation
import Testing

/// Foundation's predicates as query conditions: they find the same documents as in memory.
@Suite(.timeLimit(.minutes(5))) struct DocumentPredicateTests {
    typealias Maker = DocumentQueryTests.Maker
    typealias Chair = DocumentQueryTests.Chair

    private static let chairs = [
        "bern": Chair(name: "Bern", price: 340.5, isSold: true, tags: ["leather"]),
        "oslo": Chair(name: "Oslo", price: 120, tags: ["light", "50%"]),
        "porto": Chair(name: "Porto", seats: 3, maker: Maker(name: "Sedia", town: nil)),
        "udine": Chair(
            name: "100% wool",
            price: 89,
            seats: 2,
            made: Date(timeIntervalSince1970: 86_400),
            maker: Maker(name: "Sedia", town: "Udine")
        ),
    ]

    private let shop: Chairs

    init() throws {
        shop = try Chairs.sold()
        for (id, chair) in Self.chairs {
            var document = TypedDocument(id: id, chair)
            try shop.chairs.save(&document)
        }
    }

    private func ids(_ predicate: Predicate<Chair>) throws -> [String] {
        let condition = DocumentCondition(predicate)
        let query = shop.chairs.documents(of: Chair.self, where: condition, orderBy: .byID)
        return try query.all().map(\.id)
    }

    /// Checks the documents found against the predicate itself.
    private func expect(
        _ count: Int,
        _ predicate: Predicate<Chair>,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try ids(predicate)
        let expected = try Self.chairs.filter { try predicate.evaluate($0.value) }.keys.sorted()
        #expect(found == expected, sourceLocation: location)
        #expect(found.count == count, sourceLocation: location)
    }

    @Test func `comparisons in a predicate match as they do in memory`() throws {
        try expect(1, #Predicate { $0.seats == 3 })
        try expect(3, #Predicate { $0.name != "Oslo" })
        try expect(2, #Predicate { 2 <= $0.seats })
        try expect(2, #Predicate { $0.name > "M" })
        try expect(1, #Predicate { $0.price == nil })
        try expect(3, #Predicate { $0.price != nil })
        try expect(1, #Predicate { $0.price == 120 })
        let day: Date? = Date(timeIntervalSince1970: 86_400)
        try expect(1, #Predicate { $0.made == day })
        let nobody: String? = nil
        try expect(3, #Predicate { $0.maker?.town == nobody })
        try expect(4, #Predicate { _ in true })
    }

    @Test func `a predicate can combine conditions and use optional chaining`() throws {
        try expect(2, #Predicate { $0.isSold || $0.name.starts(with: "O") })
        try expect(1, #Predicate { !$0.isSold && $0.tags.contains("light") })
        try expect(2, #Predicate { ($0.price ?? 0) > 100 })
        try expect(1, #Predicate { $0.maker?.town == "Udine" })
        try expect(2, #Predicate { $0.maker?.name.contains("edi") == true })
        #expect(try ids(#Predicate { $0.price! > 300 }) == ["bern"])
    }

    @Test func `a predicate can search strings, arrays and ranges`() throws {
        try expect(1, #Predicate { $0.name.contains("%") })
        try expect(0, #Predicate { $0.name.starts(with: "%") })
        let prices: [Double?] = [nil, 120]
        try expect(2, #Predicate { prices.contains($0.price) })
        try expect(2, #Predicate { !prices.contains($0.price) })
        let names = ["Oslo", "Bern"]
        try expect(2, #Predicate { names.contains($0.name) })
        try expect(2, #Predicate { (2...4).contains($0.seats) })
        let range = 1..<3
        try expect(3, #Predicate { range.contains($0.seats) })
        let evil = "x' OR 1=1 --\"`\\\0"
        try expect(0, #Predicate { $0.name == evil })
    }

    @Test func `an unsupported predicate is rejected with an error that names the operation`()
        throws
    {
        let length = #expect(throws: NSError.self) { try ids(#Predicate { $0.name.count == 2 }) }
        #expect(length?.code == CBLError.invalidParameter)
        #expect(length?.localizedDescription.contains("count") == true)
        #expect(throws: NSError.self) { try ids(#Predicate { $0.shout == "OSLO" }) }
        #expect(throws: NSError.self) {
            try ids(#Predicate { $0.tags.filter { $0 == "a" }.isEmpty })
        }
    }
}
