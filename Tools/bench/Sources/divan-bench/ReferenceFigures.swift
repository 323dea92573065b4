import CouchbaseLiteSwift
import DivanDatabase
import DivanJSON
import DivanRevisions
import Foundation

/// The shapes in which Couchbase Lite's own engine was measured, with its figures.
///
/// Its figures, medians of three runs, come from the same kind of machine, but not from the same
/// time: documents of exactly 1,024 bytes in eight keys, IDs in order, including the time from JSON text
/// to the row, reading one property of a document by its ID.
enum ReferenceFigures {
    private static let count = 100_000
    private static let singleCount = 10_000
    private static let byteCount = 1_024

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let texts = (0..<count).map { text($0) }
        let directory = "\(workplace.directory)/reference.cblite2"
        var inserting = Double.infinity
        for _ in 0..<2 {
            if Store.exists(directory: directory) { try Store.delete(directory: directory) }
            let store = try Store.open(directory: directory)
            defer { try? store.close() }
            inserting = min(inserting, try Stopwatch.best(of: 1) { try insert(texts, store) })
        }
        add("insert, 100,000 × 1 KB in one transaction", count, inserting, 81_756, &report)
        try measureSingles(workplace, texts, &report)
        try measureReading(directory, &report)
        try measureSize(directory, &report)
        try measureContent(workplace, &report)
    }

    // MARK: Documents

    /// Words and numbers that compress about three to one.
    private static func text(_ number: Int) -> [UInt8] {
        var generator = Xorshift(seed: UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15)
        var words = ""
        let head =
            #"{"active":true,"n":\#(number),"name":"Name of \#(number)","rev":1,"score":0.5,"#
            + #""tags":["red","blue"],"text":""#
        let tail = #"","type":"bench"}"#
        while head.utf8.count + words.utf8.count + tail.utf8.count < byteCount {
            let random = generator.next()
            words += random % 3 == 0 ? String(random >> 32, radix: 16) : "word\(random % 97) "
        }
        let room = byteCount - head.utf8.count - tail.utf8.count
        return Array((head + words.prefix(room) + tail).utf8)
    }

    private static func id(_ number: Int) -> String {
        let digits = "\(number)"
        return "doc-" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    private static func insert(_ texts: [[UInt8]], _ store: Store) throws {
        try store.write { writer in
            for (number, text) in texts.enumerated() {
                let body = try JSON(parsing: text.span).canonicalBytes()
                _ = try writer.save(StoredID(unchecked: id(number)), in: .default, body: body)
            }
        }
    }

    // MARK: Figures

    private static func measureSingles(
        _ workplace: BenchContext,
        _ texts: [[UInt8]],
        _ report: inout Report
    ) throws {
        var best = Double.infinity
        for turn in 0..<3 {
            let store = try Store.open(directory: "\(workplace.directory)/single-\(turn).cblite2")
            defer { try? store.close() }
            let seconds = try Stopwatch.best(of: 1) {
                for number in 0..<singleCount {
                    let text = texts[number]
                    let body = try JSON(parsing: text.span).canonicalBytes()
                    _ = try store.save(StoredID(unchecked: id(number)), in: .default, body: body)
                }
            }
            best = min(best, seconds)
        }
        add("insert, 10,000 × 1 KB in a transaction each", singleCount, best, 25_012, &report)
    }

    private static func measureReading(_ directory: String, _ report: inout Report) throws {
        let parent = URL(fileURLWithPath: directory).deletingLastPathComponent().path
        var configuration = DatabaseConfiguration()
        configuration.directory = parent
        let database = try Database(name: "reference", config: configuration)
        defer { try? database.close() }
        let collection = try database.defaultCollection()
        var generator = Xorshift()
        let seconds = try Stopwatch.best {
            for _ in 0..<count {
                let random = generator.next()
                let document = try collection.document(id: id(Int(random % UInt64(count))))
                guard document?.int(forKey: "rev") == 1 else {
                    throw BenchFailure("a document is missing")
                }
            }
        }
        add("read by ID, one property of 1 KB", count, seconds, 205_577, &report)
    }

    private static func measureSize(_ directory: String, _ report: inout Report) throws {
        let path = directory + "/db.sqlite3"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let size = (attributes[.size] as? NSNumber)?.doubleValue ?? 0
        report.add(
            Figure(
                name: "reference: bytes on disk, 1 KB document",
                unit: "bytes",
                ours: size / Double(count),
                floor: 1_395,
                floorName: "what LiteCore reached"
            )
        )
    }

    /// A blob of 100 MB of random bytes, streamed in.
    private static func measureContent(
        _ workplace: BenchContext,
        _ report: inout Report
    ) throws {
        let store = try Store.open(directory: "\(workplace.directory)/content.cblite2")
        defer { try? store.close() }
        var random = SystemRandomNumberGenerator()
        var piece = (0..<(128 << 10)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let pieceCount = 800
        let seconds = try Stopwatch.best {
            piece[0] &+= 1
            let writer = try store.blobs.writer()
            for number in 0..<pieceCount {
                piece[1] = UInt8(truncatingIfNeeded: number)
                try writer.append(piece)
            }
            let digest = try writer.finish()
            try store.write { writer in
                let body = #"{"file":{"@type":"blob","digest":"\#(digest)"}}"#
                let bytes = Array(body.utf8)
                _ = try writer.save("file", in: .default, body: bytes, hasBlobs: true)
            }
        }
        report.add(
            Figure(
                name: "reference: save a blob of 100 MB",
                unit: "MB/s",
                ours: Double(pieceCount * piece.count) / seconds / 1e6,
                floor: 317,
                floorName: "what LiteCore reached"
            )
        )
    }

    private static func add(
        _ name: String,
        _ count: Int,
        _ seconds: Double,
        _ reached: Double,
        _ report: inout Report
    ) {
        report.add(
            Figure(
                name: "reference: \(name)",
                unit: "docs/s",
                ours: Double(count) / seconds,
                floor: reached,
                floorName: "what LiteCore reached"
            )
        )
    }
}

/// The store's document ID; the public API has a property wrapper of the other name.
private typealias StoredID = DivanRevisions.DocumentID
