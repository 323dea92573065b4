import Divan
import Foundation

/// Documents made of Swift's nested containers, compared with the same documents made of JSON text; they take turns.
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
        var (floor, ours, foundation) = (Double.infinity, Double.infinity, Double.infinity)
        for _ in 0..<5 {
            floor = min(floor, try seconds { _ = try MutableDocument(id: "order", json: text) })
            ours = min(ours, try seconds { _ = MutableDocument(id: "order", data: order) })
            foundation = min(
                foundation,
                try seconds { _ = MutableDocument(id: "order", data: read) }
            )
        }
        for (what, seconds) in [
            ("Swift's dictionaries", ours), ("JSONSerialization's", foundation),
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
