import CouchbaseLiteSwift
import Dispatch
import DivanDatabase
import Foundation
import Synchronization

/// From a commit to the rows of a live query, on `QueryDocuments`.
enum QueryLiveFigures {
    /// A query on `QueryDocuments` whose rows change with each save here.
    enum Question: String {
        case index = "SELECT COUNT(*) AS n, MAX(price) AS p FROM _ WHERE price > 1000000"
        case scan = "SELECT COUNT(*) AS n, MAX(dims.w) AS p FROM _ WHERE dims.w > 1000000"
    }

    /// Seconds before each save.
    private static let pause = 0.3

    /// Times after the beginning of a save, in milliseconds.
    struct Times {
        let saved: Double
        let told: Double
    }

    static func measure(in directory: String, into report: inout Report) throws {
        let database = try prepare(in: directory)
        defer { try? database.close() }
        let floor = try QueryLiveFloor(in: directory)
        // In turns, since the machine may be faster at one time than at another.
        var (index, floors) = ([Double](), [Double]())
        for _ in 0..<3 {
            index += try measure(.index, in: database, rounds: 5).map(\.told)
            for _ in 0..<5 { floors.append(try floor.save(after: pause)) }
        }
        add("live query after a commit, index", index, floor: floors, to: &report)
        let scan = try measure(.scan, in: database, rounds: 7).map(\.told)
        add("live query after a commit, scan", scan, floor: [], to: &report)
    }

    /// Creates the database, with an index.
    static func prepare(in directory: String) throws -> Database {
        let store = try Store.open(directory: "\(directory)/live.cblite2")
        try QueryDocuments.fill(store)
        try store.close()
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        let database = try Database(name: "live", config: configuration)
        try IndexedPullFigures.make(["price"], in: database)
        return database
    }

    private static func add(
        _ name: String,
        _ times: [Double],
        floor: [Double],
        to report: inout Report
    ) {
        report.add(
            Figure(
                name: "query: \(name)",
                unit: "ms",
                ours: median(times),
                floor: floor.isEmpty ? nil : median(floor),
                floorName: floor.isEmpty
                    ? "from the save to the listener, median, wall clock"
                    : "SQLite and two threads, median, wall clock"
            )
        )
    }

    private static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

    /// Each save adds a document that matches.
    static func measure(
        _ question: Question,
        in database: Database,
        rounds: Int
    ) throws -> [Times] {
        let collection = try database.defaultCollection()
        let query = try database.createQuery(question.rawValue)
        let told = DispatchSemaphore(value: 0)
        let moment = Mutex(DispatchTime.now())
        let token = query.addChangeListener(withQueue: DispatchQueue(label: "bench.live")) { _ in
            moment.withLock { $0 = DispatchTime.now() }
            told.signal()
        }
        defer { token.remove() }
        try wait(for: told)
        return try (1...rounds).map { _ in
            // A commit that closely follows another one waits for more of them.
            Thread.sleep(forTimeInterval: pause)
            let document = MutableDocument()
            // Greater than all before.
            let value = Int(DispatchTime.now().uptimeNanoseconds / 1_000)
            document.setInt(value, forKey: "price")
            let dims = MutableDictionaryObject(data: ["w": value])
            document.setDictionary(dims, forKey: "dims")
            let start = DispatchTime.now().uptimeNanoseconds
            try collection.save(document: document)
            let saved = DispatchTime.now().uptimeNanoseconds
            try wait(for: told)
            let last = moment.withLock(\.uptimeNanoseconds)
            // An extra notification of an earlier save: the time of this one is unknown.
            guard last > start else { throw BenchFailure("told before the save") }
            return Times(
                saved: Double(saved - start) / 1e6,
                told: Double(last - start) / 1e6
            )
        }
    }

    private static func wait(for told: DispatchSemaphore) throws {
        guard told.wait(timeout: .now() + 60) == .success else {
            throw BenchFailure("no rows were told within a minute")
        }
    }
}
