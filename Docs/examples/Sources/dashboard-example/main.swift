import Divan
import Foundation
import Observation

/// An order of a shop.
struct Order: Codable, Identifiable, Sendable {
    var id: Int
    var region: String
    var price: Double
}

/// A line of the dashboard: the columns of a query, decoded.
struct Region: Decodable, Sendable {
    var region: String
    var count: Int
    var total: Double
}

/// Waits until the observed regions change, as a user interface does.
@MainActor func change(of regions: Observed<[Region]>) async {
    await withCheckedContinuation { continuation in
        withObservationTracking {
            _ = regions.value
        } onChange: {
            continuation.resume()
        }
    }
    await Task.yield()
}

/// Shows the totals of each region whenever orders change.
@MainActor func run() async throws {
    let db = try Database.inMemory()
    let orders = try await db.collection("orders")
    let regions = Observed(
        db.live(
            "SELECT region, COUNT(*) AS count, SUM(price) AS total FROM orders GROUP BY region",
            as: Region.self
        ),
        initial: []
    )
    for order in [("north", 10.0), ("south", 7.5), ("north", 2.5)].enumerated() {
        try await orders.save(
            Order(id: order.offset, region: order.element.0, price: order.element.1)
        )
    }
    while regions.value.map(\.count).reduce(0, +) < 3 { await change(of: regions) }
    for region in regions.value.sorted(by: { $0.region < $1.region }) {
        print("\(region.region): \(region.count) orders, \(region.total)")
    }
    try await db.close()
}

do {
    try await run()
} catch {
    print(error)
    exit(1)
}
