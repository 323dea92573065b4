import CouchbaseLiteSwift
import Dispatch
import DivanPlatform
import Foundation
import Synchronization

/// Vector searches through SQL++, and what an index costs.
final class VectorSearchFigures {
    private static let queryCount = 1_000
    private static let insertedCount = 10_000

    private let size: String
    private let vectors: VectorSet
    private let neighbours: [Set<Int64>]
    /// The base64 texts of the queries' vectors.
    private let targets: [String]
    private let directory: String
    private var report: Report

    /// Searches for `make profile`.
    static func searches(
        _ count: Int,
        _ workplace: BenchContext,
        where filter: String = ""
    ) throws -> () throws -> Void {
        let (figures, database) = try forProfile(workplace)
        let search = try figures.search(database, where: filter)
        return {
            for number in 0..<count {
                _ = try search.nearest(to: figures.targets[number % queryCount])
            }
        }
    }

    /// Saves for `make profile`.
    static func saves(
        _ count: Int,
        _ workplace: BenchContext
    ) throws -> () throws -> Void {
        let (figures, database) = try forProfile(workplace)
        let documents = try figures.vectors.more.map { try figures.documents(count, of: $0) } ?? []
        return { try figures.save(documents, in: database) }
    }

    private static func forProfile(
        _ workplace: BenchContext
    ) throws -> (VectorSearchFigures, Database) {
        let figures = try VectorSearchFigures(
            VectorSet(count: 100_000, dimensions: 384, spread: 1.3, queryCount: queryCount),
            try workplace.newDirectory(),
            Report(.now(commit: nil), holdingTo: [:])
        )
        let database = try figures.open()
        try figures.fill(database)
        _ = try figures.build(database)
        return (figures, database)
    }

    /// Measures vectors of clusters.
    static func measure(
        count: Int,
        dimensions: Int,
        spread: Float,
        _ workplace: BenchContext,
        into report: inout Report
    ) throws {
        let vectors = VectorSet(
            count: count,
            dimensions: dimensions,
            spread: spread,
            queryCount: queryCount
        )
        if let folder = workplace.vectorFolder { try vectors.write(to: folder) }
        try measure(vectors, workplace, into: &report)
    }

    /// Measures the embeddings of texts that `make vectors` computes.
    static func measureTexts(_ workplace: BenchContext, into report: inout Report) throws {
        guard let folder = workplace.vectorFolder else {
            throw BenchFailure("vector-search-text needs embeddings: run 'make vectors SETS=text'")
        }
        let vectors = try VectorSet(named: "text", dimensions: 384, in: folder)
        try measure(vectors, workplace, into: &report)
    }

    private static func measure(
        _ vectors: VectorSet,
        _ workplace: BenchContext,
        into report: inout Report
    ) throws {
        let figures = try VectorSearchFigures(vectors, try workplace.newDirectory(), report)
        try figures.measure()
        report = figures.report
    }

    private init(_ vectors: VectorSet, _ directory: String, _ report: Report) throws {
        self.vectors = vectors
        self.directory = directory
        self.report = report
        // The number of texts depends on the release.
        size =
            vectors.more == nil
            ? vectors.name : "\(vectors.count / 1_000)k × \(vectors.dimensions)"
        neighbours = try vectors.neighbours()
        targets = vectors.queries.map(Self.base64)
    }

    private func add(_ name: String, _ value: Double, _ unit: String, _ remark: String = "–") {
        report.add(Figure(name: "\(size): \(name)", unit: unit, ours: value, floorName: remark))
    }

    // MARK: The database

    private func open(_ name: String = "vectors", _ key: EncryptionKey? = nil) throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        configuration.encryptionKey = key
        return try Database(name: name, config: configuration)
    }

    private func measure() throws {
        var database = try open()
        try fill(database)
        try database.close()
        let plain = try bytes()
        add("disk space of the documents", plain / 1e6, "MB")
        database = try open()
        try measureBuild(database)
        try database.close()
        add("disk space of the index", (try bytes() - plain) / 1e6, "MB")
        database = try open()
        let first = Stopwatch.seconds()
        _ = try search(database).nearest(to: targets[0])
        add("first query after opening", (Stopwatch.seconds() - first) * 1e3, "ms")
        try measureQueries(database)
        try measureExact(database)
        try measureThreads(database)
        try measureFilters(database)
        if let more = vectors.more {
            try measureSaving(more, database)
            try measureSingles(more, database)
            if vectors.count <= 100_000 { try measureChurn(more, database) }
        }
        try database.close()
        guard vectors.count <= 100_000 else { return }
        let unencrypted = try open("plain")
        try measureArrays()
        try measureSealed(unencrypted)
        try measureEncodings(unencrypted)
        try unencrypted.close()
    }

    private func bytes() throws -> Double {
        let path = "\(directory)/vectors.cblite2/db.sqlite3"
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        return size?.doubleValue ?? 0
    }

    private static func id(_ number: Int) -> String { "\(10_000_000 + number)" }

    /// Builds the index from arrays of numbers instead of base64.
    private func measureArrays() throws {
        let database = try open("arrays")
        try fill(database, isArray: true)
        add("build from arrays", try build(database).seconds, "s")
        try database.close()
    }

    private func document(
        _ number: Int,
        _ vector: some Sequence<Float>,
        isArray: Bool = false
    ) throws -> MutableDocument {
        let value = isArray ? "\(Array(vector))" : #""\#(Self.base64(vector))""#
        return try MutableDocument(
            id: Self.id(number),
            json: #"{"g":\#(number % 1_000),"n":\#(number),"v":\#(value)}"#
        )
    }

    private func fill(_ database: Database, isArray: Bool = false) throws {
        let collection = try database.defaultCollection()
        for start in stride(from: 0, to: vectors.count, by: 1_000) {
            try database.inBatch {
                for number in start..<min(start + 1_000, vectors.count) {
                    let document = try document(number, vectors[number], isArray: isArray)
                    try collection.save(document: document)
                }
            }
        }
    }

    private func build(
        _ database: Database,
        _ encoding: VectorEncoding = .scalarQuantizer(type: .SQ8)
    ) throws -> VectorBuild {
        let cells = Int(Double(vectors.count).squareRoot())
        var config = VectorIndexConfiguration(
            expression: "v",
            dimensions: UInt32(vectors.dimensions),
            centroids: UInt32(cells)
        )
        config.encoding = encoding
        return try VectorBuild(in: database, config) {
            _ = try search(database).nearest(to: targets[0])
        }
    }

    private func measureBuild(_ database: Database) throws {
        let build = try build(database)
        add("creating the index", build.creation, "s", "base64")
        add("training and moving into cells", build.training, "s")
        add("build", build.seconds, "s")
        add("build, memory at the peak", build.peakByteCount / 1e6, "MB")
        add("longest save during the training", build.longestSave * 1e3, "ms")
    }

    private static func base64(_ vector: some Sequence<Float>) -> String {
        var bytes = Data()
        for float in vector {
            withUnsafeBytes(of: float.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes.base64EncodedString()
    }

    // MARK: Queries

    /// A prepared query.
    private struct Search: Sendable {
        let query: any Query

        func nearest(to vector: String) throws -> Set<Int64> {
            let parameters = Parameters()
            parameters.setString(vector, forName: "target")
            query.parameters = parameters
            return Set(try query.execute().map { $0.int64(at: 0) })
        }
    }

    private func search(
        _ database: Database,
        _ more: String = "",
        where filter: String = ""
    ) throws
        -> Search
    {
        Search(
            query: try database.createQuery(
                """
                SELECT n FROM _ \(filter) ORDER BY APPROX_VECTOR_DISTANCE(v, $target\(more)) LIMIT 10
                """
            )
        )
    }

    private func recall(_ found: [Set<Int64>], _ expected: [Set<Int64>]) -> Double {
        var (all, right) = (0, 0)
        for (found, expected) in zip(found, expected) {
            all += expected.count
            right += found.intersection(expected).count
        }
        return Double(right) / Double(max(all, 1))
    }

    /// Runs all queries, and returns their results and times.
    private func run(
        _ search: Search,
        count: Int = queryCount
    ) throws -> (
        found: [Set<Int64>], seconds: [Double]
    ) {
        var (found, seconds) = ([Set<Int64>](), [Double]())
        for target in targets.prefix(count) {
            let start = Stopwatch.seconds()
            found.append(try search.nearest(to: target))
            seconds.append(Stopwatch.seconds() - start)
        }
        return (found, seconds.sorted())
    }

    private func measureQueries(_ database: Database) throws {
        let search = try search(database)
        try PeerUsage.forgetPeak()
        let before = PeerUsage.now().residentByteCount
        _ = try run(search, count: 200)
        let (found, seconds) = try run(search)
        add("queries, memory at the peak", (PeerUsage.now().peakByteCount - before) / 1e6, "MB")
        add("recall of 10, default", recall(found, neighbours), "")
        let all = seconds.reduce(0, +)
        add("queries, one thread", Double(Self.queryCount) / all, "1/s")
        add("median query", seconds[seconds.count / 2] * 1e3, "ms")
        add("p99 query", seconds[seconds.count * 99 / 100] * 1e3, "ms")
        for probes in [1, 2, 4, 8, 16, 32, 64] {
            let search = try self.search(database, ", 'euclidean_squared', \(probes)")
            try addRate("queries, \(probes) cells", of: search)
        }
    }

    /// Adds the rate of a search, with its recall.
    private func addRate(_ name: String, of search: Search) throws {
        let (found, seconds) = try run(search)
        let recall = String(format: "recall %.3f", recall(found, neighbours))
        add(name, Double(found.count) / seconds.reduce(0, +), "1/s", recall)
    }

    /// Two threads, each with its own query.
    private func measureThreads(_ database: Database) throws {
        let (targets, count) = (targets, Self.queryCount)
        let searches = try (0..<2).map { _ in try search(database) }
        let failures = Mutex(0)
        let start = Stopwatch.seconds()
        DispatchQueue.concurrentPerform(iterations: searches.count) { number in
            for target in targets where (try? searches[number].nearest(to: target)) == nil {
                failures.withLock { $0 += 1 }
            }
        }
        let rate = Double(searches.count * count) / (Stopwatch.seconds() - start)
        guard failures.withLock({ $0 }) == 0 else { throw BenchFailure("a search failed") }
        add("queries, two threads", rate, "1/s")
    }

    /// The same searches in an encrypted database and in a plain one, in alternation.
    private func measureSealed(_ plain: Database) throws {
        let key = EncryptionKey.key(Data((0..<32).map { UInt8($0) }))
        let databases = [plain, try open("sealed", key)]
        let searches = try databases.map { database in
            try fill(database)
            _ = try build(database)
            return try search(database)
        }
        for search in searches { _ = try run(search, count: 500) }
        var seconds = [0.0, 0.0]
        for target in targets {
            for (place, search) in searches.enumerated() {
                let start = Stopwatch.seconds()
                _ = try search.nearest(to: target)
                seconds[place] += Stopwatch.seconds() - start
            }
        }
        report.add(
            Figure(
                name: "\(size): query, encrypted",
                unit: "ms",
                ours: seconds[1] / Double(targets.count) * 1e3,
                floor: seconds[0] / Double(targets.count) * 1e3,
                floorName: "the same without encryption"
            )
        )
        try databases[1].close()
    }

    /// Searches with coarser codes.
    private func measureEncodings(_ database: Database) throws {
        for (name, encoding) in [
            ("4 bits", VectorEncoding.scalarQuantizer(type: .SQ4)),
            ("48 parts of 8 bits", .productQuantizer(subquantizers: 48, bits: 8)),
        ] {
            _ = try build(database, encoding)
            try addRate("queries, codes of \(name)", of: try search(database))
        }
    }

    private func measureExact(_ database: Database) throws {
        let exact = try search(database, ", 'euclidean_squared', 1, TRUE")
        let (found, seconds) = try run(exact, count: 20)
        guard found == Array(neighbours.prefix(20)) else {
            throw BenchFailure("an exact search missed neighbours")
        }
        add("exact query", seconds[seconds.count / 2] * 1e3, "ms")
    }

    private func measureSaving(_ more: VectorSource, _ database: Database) throws {
        let count = Self.insertedCount
        let documents = try documents(count, of: more)
        let start = Stopwatch.seconds()
        try save(documents, in: database)
        let seconds = Stopwatch.seconds() - start
        add("inserts, 1,000 per transaction, each found", Double(count) / seconds, "1/s")
    }

    // MARK: Filters

    /// Searches among the documents with a property below a limit, first without a value index for it.
    private func measureFilters(_ database: Database) throws {
        let collection = try database.defaultCollection()
        for limit in [500, 100, 10, 1] {
            let expected = Array(try vectors.neighbours { $0 % 1_000 < limit }.prefix(200))
            let search = try search(database, where: "WHERE g < \(limit)")
            for index in ["", ", indexed"] {
                if !index.isEmpty {
                    let config = ValueIndexConfiguration(["g"])
                    try collection.createIndex(withName: "group", config: config)
                }
                let (found, seconds) = try run(search, count: expected.count)
                let name = "filter with \(Double(limit) / 10) % of the documents\(index)"
                let recall = String(format: "recall %.3f", recall(found, expected))
                add(name, seconds[seconds.count / 2] * 1e3, "ms", recall)
                add("\(name), p99", seconds[seconds.count * 99 / 100] * 1e3, "ms")
            }
            try collection.deleteIndex(forName: "group")
        }
    }

    // MARK: Changes

    /// Saves and deletes in transactions of their own, beside a collection without an index.
    private func measureSingles(_ more: VectorSource, _ database: Database) throws {
        let count = 1_000
        let plain = try database.createCollection(name: "plain")
        let indexed = try database.defaultCollection()
        var source = more
        let bodies = (0..<count).map { _ in Self.base64(source.next(1)) }
        func document(_ number: Int, _ note: Int) throws -> MutableDocument {
            try MutableDocument(id: "s\(number)", json: #"{"m":\#(note),"v":"\#(bodies[number])"}"#)
        }
        func extra(_ name: String, _ work: (Collection, Int) throws -> Void) throws {
            var seconds = [0.0, 0.0]
            for number in 0..<count {
                for (place, collection) in [plain, indexed].enumerated() {
                    let start = Stopwatch.seconds()
                    try work(collection, number)
                    seconds[place] += Stopwatch.seconds() - start
                }
            }
            let each = (seconds[1] - seconds[0]) / Double(count) * 1e6
            add("\(name), in addition", each, "µs", "without the index")
        }
        try extra("one save per transaction") { try $0.save(document: try document($1, 0)) }
        _ = try search(database).nearest(to: targets[0])
        try extra("one save with the same vector") { collection, number in
            guard let saved = try collection.document(id: "s\(number)")?.toMutable() else { return }
            saved.setInt(1, forKey: "m")
            try collection.save(document: saved)
        }
        try extra("one deletion") { collection, number in
            guard let saved = try collection.document(id: "s\(number)") else { return }
            try collection.delete(document: saved)
        }
    }

    /// Replaces 30 % of the vectors and deletes 20 % of the documents.
    private func measureChurn(_ more: VectorSource, _ database: Database) throws {
        let collection = try database.defaultCollection()
        var (source, changed) = (more, vectors)
        for start in stride(from: 0, to: vectors.count, by: 1_000) {
            try database.inBatch {
                for number in start..<start + 1_000 {
                    guard let saved = try collection.document(id: Self.id(number)) else { continue }
                    switch number % 10 {
                    case 0, 1: try collection.delete(document: saved)
                    case 2, 3, 4:
                        let vector = source.next(1)
                        changed.replace(number, by: vector)
                        let document = saved.toMutable()
                        document.setString(Self.base64(vector), forKey: "v")
                        try collection.save(document: document)
                    default: break
                    }
                }
            }
        }
        // The documents that were inserted after the others.
        for number in vectors.count..<vectors.count + Self.insertedCount {
            guard let saved = try collection.document(id: Self.id(number)) else { continue }
            try collection.purge(document: saved)
        }
        let expected = try changed.neighbours { $0 % 10 > 1 }
        let search = try search(database)
        _ = try run(search, count: 20)
        let (found, seconds) = try run(search)
        let rate = Double(found.count) / seconds.reduce(0, +)
        let remark = "30 % replaced, 20 % deleted"
        add("recall of 10 after changes", recall(found, expected), "", remark)
        add("queries after changes", rate, "1/s", remark)
    }

    private func documents(_ count: Int, of more: VectorSource) throws -> [MutableDocument] {
        var source = more
        return try (0..<count).map { try document(vectors.count + $0, source.next(1)) }
    }

    /// Saves documents in batches of 1,000, with a search after each.
    private func save(_ documents: [MutableDocument], in database: Database) throws {
        let collection = try database.defaultCollection()
        let search = try search(database)
        for start in stride(from: 0, to: documents.count, by: 1_000) {
            try database.inBatch {
                for document in documents[start..<min(start + 1_000, documents.count)] {
                    try collection.save(document: document)
                }
            }
            _ = try search.nearest(to: targets[0])
        }
    }
}
