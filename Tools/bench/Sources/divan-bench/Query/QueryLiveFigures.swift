import Dispatch
import Divan
import DivanStore
import Foundation
import Synchronization

/// From a commit to the rows of a live query, on `QueryDocuments`.
enum QueryLiveFigures {
    static func measure(in directory: String, into report: inout Report) throws {
        let store = try Store.open(directory: "\(directory)/live.cblite2")
        try QueryDocuments.fill(store)
        try store.close()
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        let database = try Database(name: "live", config: configuration)
        defer { try? database.close() }
        let collection = try database.defaultCollection()
        try collection.createIndex(
            withName: "live",
            config: ValueIndexConfiguration(["price"])
        )
        try measure(
            "live query after a commit, index",
            "SELECT COUNT(*) AS n, MAX(price) AS p FROM _ WHERE price > 1000000",
            collection,
            into: &report
        )
        try measure(
            "live query after a commit, scan",
            "SELECT COUNT(*) AS n, MAX(dims.w) AS p FROM _ WHERE dims.w > 1000000",
            collection,
            into: &report
        )
    }

    /// Each save adds a document that counts; the time is that from its beginning to the listener.
    private static func measure(
        _ name: String,
        _ sql: String,
        _ collection: Divan.Collection,
        into report: inout Report
    ) throws {
        let query = try collection.database.createQuery(sql)
        let told = DispatchSemaphore(value: 0)
        let moment = Mutex(DispatchTime.now())
        let token = query.addChangeListener(withQueue: DispatchQueue(label: "bench.live")) { _ in
            moment.withLock { $0 = DispatchTime.now() }
            told.signal()
        }
        defer { token.remove() }
        told.wait()
        var times: [Double] = []
        for round in 1...7 {
            // A commit that follows another one closely waits for more of them.
            Thread.sleep(forTimeInterval: 0.3)
            let document = MutableDocument(id: "live-\(name)-\(round)")
            document.setInt(1_000_000 + round, forKey: "price")
            let dims = MutableDictionaryObject(data: ["w": 1_000_000 + round])
            document.setDictionary(dims, forKey: "dims")
            let start = DispatchTime.now().uptimeNanoseconds
            try collection.save(document: document)
            told.wait()
            let last = moment.withLock(\.uptimeNanoseconds)
            times.append(Double(last > start ? last - start : 0) / 1e6)
        }
        report.add(
            Figure(
                name: "query: \(name)",
                unit: "ms",
                ours: times.sorted()[3],
                floor: nil,
                floorName: "from the save to the listener, median, wall clock"
            )
        )
    }
}
