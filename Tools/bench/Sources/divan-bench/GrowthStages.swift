import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation

/// One database that grows from 10,000 documents to the number of `--documents`, examined each time
/// that it is ten times as large: saves, reads, opening, memory, disk.
///
/// Documents of 199 bytes, so that 10,000,000 of them take 4 GB: it is their number that could be
/// costly. IDs ascend, like generated ones. The floor of each line is the same at 10,000.
enum GrowthStages {
    private static let firstCount = 10_000
    private static let batch = 1_000
    private static let readCount = 20_000

    /// The results for one size.
    private struct Stage {
        let count: Int
        var saving = 0.0
        var reading = 0.0
        var opening = 0.0
        var memory = 0.0
        var disk = 0.0
    }

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let bodies = try DocumentShape.airlines.bodies()
        let directory = "\(workplace.directory)/stages.cblite2"
        var (stored, first): (Int, Stage?) = (0, nil)
        var count = firstCount
        while count <= workplace.documentCount {
            var stage = Stage(count: count)
            stage.saving = try grow(directory, bodies, from: stored, to: count)
            stored = count
            try look(at: directory, &stage)
            add(stage, beside: first ?? stage, to: &report)
            first = first ?? stage
            count *= 10
        }
        try FileManager.default.removeItem(atPath: directory)
    }

    /// Saves documents; returns how many per second, for the last ten thousand.
    private static func grow(
        _ directory: String,
        _ bodies: [[UInt8]],
        from first: Int,
        to end: Int
    ) throws -> Double {
        let store = try Store.open(directory: directory)
        defer { try? store.close() }
        var rate = 0.0
        for start in stride(from: first, to: end, by: firstCount) {
            let seconds = try Stopwatch.best(of: 1) {
                for number in stride(from: start, to: start + firstCount, by: batch) {
                    try save(number..<number + batch, bodies, store)
                }
            }
            rate = Double(firstCount) / seconds
        }
        return rate
    }

    private static func save(_ numbers: Range<Int>, _ bodies: [[UInt8]], _ store: Store) throws {
        try store.write { writer in
            for number in numbers {
                let id = DocumentID(unchecked: DocumentShape.documentID(number))
                _ = try writer.save(id, in: .default, body: bodies[number % bodies.count])
            }
        }
    }

    private static func look(at directory: String, _ stage: inout Stage) throws {
        let child = try ProcessRole.opener.start([directory])
        let words = try child.line().split(separator: " ").compactMap { Double($0) }
        guard words.count == 3 else { throw BenchFailure("the opener returned no figures") }
        (stage.opening, stage.memory) = (words[0], words[2])
        let path = directory + "/db.sqlite3"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let byteCount = (attributes[.size] as? NSNumber)?.doubleValue ?? 0
        stage.disk = byteCount / Double(stage.count)
        let store = try Store.open(directory: directory)
        defer { try? store.close() }
        let seconds = try Stopwatch.best { try read(store, of: stage.count) }
        stage.reading = Double(readCount) / seconds
    }

    private static func read(_ store: Store, of count: Int) throws {
        var generator = Xorshift()
        try store.read { reader in
            for _ in 0..<readCount {
                let number = Int(generator.next() % UInt64(count))
                let id = DocumentID(unchecked: DocumentShape.documentID(number))
                guard try reader.document(id, in: .default) != nil else {
                    throw BenchFailure("document \(id) is missing")
                }
            }
        }
    }

    private static func add(_ stage: Stage, beside first: Stage, to report: inout Report) {
        for (name, unit, ours, floor) in [
            ("save, 1,000 a transaction", "docs/s", stage.saving, first.saving),
            ("read by ID", "docs/s", stage.reading, first.reading),
            ("open, first document", "ms", stage.opening * 1e3, first.opening * 1e3),
            ("memory of who opened it", "MB", stage.memory / 1e6, first.memory / 1e6),
            ("disk, a document", "bytes", stage.disk, first.disk),
        ] {
            report.add(
                Figure(
                    name: "\(stage.count) documents: \(name)",
                    unit: unit,
                    ours: ours,
                    floor: floor,
                    floorName: "the same at 10,000"
                )
            )
        }
    }
}
