import CouchbaseLiteSwift
import Foundation

/// Documents made of nested containers, Swift's and Foundation's, compared with the same made of JSON text, in turns.
enum DictionaryFigures {
    private static let lineCount = 20
    private static let documentCount = 200

    static func measure(into report: inout Report) throws {
        let order = order()
        let data = try JSONSerialization.data(withJSONObject: order)
        guard let read = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw BenchFailure("an order is not an object")
        }
        let text = String(decoding: data, as: UTF8.self)
        let (optional, object) = (optionals(order), bridged(order))
        var (floor, ours, foundation) = (Double.infinity, Double.infinity, Double.infinity)
        var (ofOptionals, ofObjects) = (Double.infinity, Double.infinity)
        var cast = Double.infinity
        for _ in 0..<5 {
            floor = min(floor, try seconds { _ = try MutableDocument(id: "order", json: text) })
            ours = min(ours, try seconds { _ = MutableDocument(id: "order", data: order) })
            foundation = min(
                foundation,
                try seconds { _ = MutableDocument(id: "order", data: read) }
            )
            ofOptionals = min(
                ofOptionals,
                try seconds { _ = MutableDocument(id: "order").setValue(optional, forKey: "o") }
            )
            ofObjects = min(
                ofObjects,
                try seconds { _ = MutableDocument(id: "order").setValue(object, forKey: "o") }
            )
            cast = min(cast, try seconds { _ = object as? [String: Any] })
        }
        for (what, seconds) in [
            ("Swift's dictionaries", ours), ("JSONSerialization's", foundation),
            ("Swift's dictionaries of optionals", ofOptionals), ("NSDictionary", ofObjects),
            ("only Foundation's cast of the NSDictionary", cast),
        ] {
            report.add(
                Figure(
                    name: "document of nested containers, \(what), \(lineCount) lines",
                    unit: "µs",
                    ours: seconds * 1e6,
                    floor: floor * 1e6,
                    floorName: "the same document from JSON text"
                )
            )
        }
    }

    /// The time of one document.
    private static func seconds(_ body: () throws -> Void) throws -> Double {
        try Stopwatch.bestWork(of: 3) {
            for _ in 0..<documentCount { try body() }
        } / Double(documentCount)
    }

    /// The same with optional members at every level.
    private static func optionals(_ value: Any) -> Any {
        if let members = value as? [String: Any] {
            return members.mapValues { Optional(optionals($0)) } as [String: Any?]
        }
        return (value as? [Any]).map { $0.map(optionals) } ?? value
    }

    /// The same as objects of Foundation.
    private static func bridged(_ value: Any) -> Any {
        if let members = value as? [String: Any] {
            return NSDictionary(dictionary: members.mapValues(bridged))
        }
        return (value as? [Any]).map { NSArray(array: $0.map(bridged)) } ?? value
    }

    private static func order() -> [String: Any] {
        let lines = (0..<lineCount).map { number -> [String: Any] in
            [
                "sku": "SKU-\(number)", "quantity": number, "price": 12.5 + Double(number),
                "title": "Article number \(number)", "isShipped": number.isMultiple(of: 2),
            ]
        }
        let customer: [String: Any] = ["name": "Anna Müller", "id": "c-12345", "isRegular": true]
        return [
            "type": "order", "number": 1_234_567, "customer": customer, "total": 1_234.5,
            "isOpen": false, "lines": lines,
        ]
    }
}
