import CDivanFloors
import Foundation

/// What a live query costs without Divan: a save through SQLite wakes a thread that asks the index again, and
/// then another one that is told.
final class QueryLiveFloor {
    private static let price = "json_extract(body, '$.price')"
    private let live: OpaquePointer
    private var savedCount = 0

    /// Creates its database, with the same documents and index.
    init(in directory: String) throws {
        let path = "\(directory)/live.sqlite"
        let raw = try QueryFloor(at: path)
        try raw.fill()
        try raw.change("CREATE INDEX price ON docs(\(Self.price))")
        let sql = "SELECT count(*), max(\(Self.price)) FROM docs WHERE \(Self.price) > 1000000"
        guard let opened = floor_live_open(path, sql) else {
            throw BenchFailure("the floor of live queries cannot be opened")
        }
        live = opened
    }

    deinit {
        floor_live_close(live)
    }

    /// Milliseconds from a save to the second thread, after a pause of so many seconds.
    func save(after pause: Double) throws -> Double {
        savedCount += 1
        let body = #"{"dims":{"w":1},"price":\#(1_000_000 + savedCount)}"#
        Thread.sleep(forTimeInterval: pause)
        let seconds = floor_live_save(live, "live-\(savedCount)", body, body.utf8.count)
        guard seconds >= 0 else { throw BenchFailure("the floor of live queries cannot save") }
        return seconds * 1_000
    }
}
