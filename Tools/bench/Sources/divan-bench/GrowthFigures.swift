import CDivanFloors
import DivanDatabase
import DivanJSON
import DivanRevisions
import DivanTestKit
import Foundation

/// Saving to a database of a million documents and more than 1 GB, and opening it.
///
/// The large database and small ones take turns, so that both see the same machine: memory that a
/// virtual machine touches for the first time alone costs a third of the rate. Each turn saves
/// 10,000 documents; a small database gets 5,000 first, so that its turn is around document
/// 10,000. The million existing IDs are spread over the whole index. New ones are in ascending order,
/// like generated IDs, or fall anywhere between them; SQLite then touches a page for nearly
/// every document.
enum GrowthFigures {
    private static let count = 1_000_000
    private static let window = 10_000
    private static let turns = 5
    private static let batch = 1_000

    /// The order of IDs.
    private enum Order: Int32, CaseIterable {
        case ascending = 0
        case scattered = 1

        var name: String { self == .ascending ? "IDs in order" : "IDs without order" }
    }

    private struct Subject {
        let file: String
        let directory: String
    }

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let bodies = try workplace.documents.bodies.map {
            try JSON(parsing: $0.span).canonicalBytes()
        }
        let large = Subject(
            file: "\(workplace.directory)/large.sqlite",
            directory: "\(workplace.directory)/large.cblite2"
        )
        try grow(large.directory, bodies, from: 0, count, .ascending)
        let filling = workplace.documents.withFloor {
            floor_sqlite_grow(large.file, $0, 0, count, batch, Order.ascending.rawValue)
        }
        guard filling > 0 else { throw BenchFailure("the floor of a large file failed") }
        try measureOpening(large, into: &report)
        // Ascending first: unordered inserts leave pages all over the log.
        for order in Order.allCases {
            try measureRates(order, workplace, large, bodies, into: &report)
        }
        for path in [large.file, large.directory] {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    // MARK: Rates

    private static func measureRates(
        _ order: Order,
        _ workplace: BenchContext,
        _ large: Subject,
        _ bodies: [[UInt8]],
        into report: inout Report
    ) throws {
        var (early, late) = ([Double](), [Double]())
        var (floorEarly, floorLate) = ([Double](), [Double]())
        for turn in 0..<turns {
            // Separate numbers for each order, after the existing ones.
            let place = count + window * (turn + turns * Int(order.rawValue))
            let small = "\(workplace.directory)/small-\(order)-\(turn)"
            try grow("\(small).cblite2", bodies, from: 0, window / 2, .ascending)
            early.append(try grow("\(small).cblite2", bodies, from: place, window, order))
            late.append(try grow(large.directory, bodies, from: place, window, order))
            workplace.documents.withFloor { documents in
                func grow(_ path: String, _ first: Int, _ count: Int, _ order: Order) -> Double {
                    floor_sqlite_grow(path, documents, first, count, batch, order.rawValue)
                }
                _ = grow("\(small).sqlite", 0, window / 2, .ascending)
                floorEarly.append(grow("\(small).sqlite", place, window, order))
                floorLate.append(grow(large.file, place, window, order))
            }
            for path in ["\(small).cblite2", "\(small).sqlite"] {
                try FileManager.default.removeItem(atPath: path)
            }
        }
        add(
            "save at document 1,000,000, \(order.name)",
            late,
            early,
            "the same at document 10,000",
            into: &report
        )
        add(
            "… raw SQLite, \(order.name)",
            floorLate,
            floorEarly,
            "the same at document 10,000",
            into: &report
        )
        add("… beside it, \(order.name)", late, floorLate, "raw SQLite", into: &report)
    }

    /// Compares the middle turns, because a turn may or may not write the log into the file.
    private static func add(
        _ name: String,
        _ ours: [Double],
        _ floor: [Double],
        _ floorName: String,
        into report: inout Report
    ) {
        report.add(
            Figure(
                name: name,
                unit: "docs/s",
                ours: Double(window) / middle(ours),
                floor: Double(window) / middle(floor),
                floorName: floorName
            )
        )
    }

    private static func middle(_ seconds: [Double]) -> Double {
        seconds.sorted()[seconds.count / 2]
    }

    /// Saves documents number `first` and up; returns the seconds, excluding opening and closing.
    @discardableResult
    private static func grow(
        _ directory: String,
        _ bodies: [[UInt8]],
        from first: Int,
        _ count: Int,
        _ order: Order
    ) throws -> Double {
        let store = try Store.open(directory: directory)
        defer { try? store.close() }
        return try Stopwatch.best(of: 1) {
            for start in stride(from: first, to: first + count, by: batch) {
                try store.write { writer in
                    for number in start..<min(start + batch, first + count) {
                        let body = bodies[number % bodies.count]
                        let id = DocumentID(unchecked: id(number, order))
                        _ = try writer.save(id, in: .default, body: body)
                    }
                }
            }
        }
    }

    /// Like the floor's `write_id`.
    private static func id(_ number: Int, _ order: Order) -> String {
        if order == .ascending, number >= count { return "z-" + digits("\(number)", 8) }
        let factor = order == .scattered ? 0x9E37_79B9_7F4A_7C15 : UInt64.max / UInt64(count)
        let number = UInt64(number + 1)
        let (high, low) = (number &* factor, number &* 0xC2B2_AE3D_27D4_EB4F)
        return digits(String(high, radix: 16), 16) + digits(String(low, radix: 16), 16)
    }

    private static func digits(_ text: String, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    // MARK: Opening

    private static func measureOpening(_ large: Subject, into report: inout Report) throws {
        let floor = (0..<5).map { _ in floor_sqlite_open(large.file) }.min() ?? -1
        guard floor > 0 else { throw BenchFailure("the floor of opening failed") }
        let child = try ProcessRole.opener.start([large.directory])
        let words = try child.line().split(separator: " ").compactMap { Double($0) }
        guard words.count == 3 else { throw BenchFailure("the opener returned no figures") }
        let size = Double(try fileByteCount(large.directory)) / 1e9
        report.add(
            Figure(
                name: "open a database of more than 1 GB, first document",
                unit: "ms",
                ours: words[0] * 1e3,
                floor: floor * 1e3,
                floorName: String(format: "raw SQLite, open and first row; %.1f GB", size)
            )
        )
        report.add(
            Figure(
                name: "memory of a process that opened it",
                unit: "MB",
                ours: words[2] / 1e6,
                floor: words[1] / 1e6,
                floorName: "the same process before; without code in files"
            )
        )
    }

    private static func fileByteCount(_ directory: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/db.sqlite3")
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }
}
