import DivanJSON
import DivanPlatform
import DivanQuery
import DivanRevisions
import DivanSQLite
import DivanTestKit
import DivanVectors
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Training, retraining and cleaning of vector indexes beside other work.
@Suite(.timeLimit(.minutes(5))) struct VectorUpkeepTests {
    private static let index = VectorIndexPath(.default, "near")

    private let home: TemporaryDirectory
    private let path: String

    init() throws {
        home = try TemporaryDirectory()
        path = home.file("a.cblite2")
    }

    private func open() throws -> Store { try Store.open(directory: path) }

    private func createIndex(
        _ dimensions: Int,
        _ centroids: Int,
        encoding: QueryVectorOptions.Encoding = .scalar(bits: 8),
        isLazy: Bool = false,
        in store: Store
    ) throws {
        let options = QueryVectorOptions(
            dimensions: dimensions,
            centroidCount: centroids,
            encoding: encoding,
            isLazy: isLazy
        )
        let vector = try QueryExpression(sql: "v").checked(over: .standard)
        let source = QueryVectorIndex(name: "near", expression: "v", options: options).source
        try store.write { writer in
            let definition = QueryIndexDefinition.vector(vector, options)
            try writer.createIndex("near", definition, source: source, in: .default)
        }
    }

    private func save(_ numbers: Range<Int>, _ dimensions: Int, seed: UInt64, _ store: Store) throws
    {
        var generator = SeededGenerator(seed: seed)
        try store.write { writer in
            for number in numbers {
                let vector = (0..<dimensions).map { _ in Int.random(in: -9...9, using: &generator) }
                let id = DocumentID(unchecked: "doc-\(number)")
                _ = try writer.save(id, in: .default, body: Array(#"{"v":\#(vector)}"#.utf8))
            }
        }
    }

    private func nearest(
        _ dimensions: Int,
        isExact: Bool = false,
        _ store: Store
    ) throws
        -> [QueryValue]
    {
        let target = (0..<dimensions).map { $0 % 5 - 2 }
        let options = isExact ? ", 'default', 1, true" : ""
        let distance = "APPROX_VECTOR_DISTANCE(v, \(target)\(options))"
        let sql = "SELECT META().id FROM _ ORDER BY \(distance), META().id LIMIT 5"
        return try store.rows(of: sql).map { $0[0] }
    }

    private func state(_ store: Store) throws -> VectorIndexState {
        try #require(try store.vectorIndexState("near", in: .default))
    }

    @Test func `a large index is trained in the background while documents change`() throws {
        let store = try open()
        defer { try? store.close() }
        let (dimensions, centroids) = (180, 300)
        try createIndex(dimensions, centroids, in: store)
        try save(0..<7_500, dimensions, seed: 1, store)
        let found = try nearest(dimensions, store)
        #expect(try !state(store).isTrained, "the query did not wait")
        var round = 0
        while try !state(store).isTrained {
            let first = round * 20 % 7_000
            try save(first..<first + 10, dimensions, seed: UInt64(2 + round), store)
            let id = DocumentID(unchecked: "doc-\(first + 15)")
            try store.write { _ = try $0.purge(id, in: .default) }
            round += 1
        }
        try store.checkIntegrity()
        #expect(try state(store).trainedCount >= 7_000)
        #expect(try nearest(dimensions, isExact: true, store).count == 5)
        #expect(found.count == 5)
    }

    @Test func `a training that a closed database interrupts is continued`() throws {
        var store = try open()
        try createIndex(4, 2, in: store)
        try save(0..<60, 4, seed: 1, store)
        // The first piece: cells were found, and no vector is in them.
        let work = try #require(try store.nextWork(on: Self.index, .whole))
        let change = try work.work.finish { false }
        try store.write { try $0.change(Self.index, from: work.source, change) }
        #expect(try state(store).isBeingTrained)
        store.vectorWorker.begin(Self.index, of: store)
        try store.close()
        store = try open()
        defer { try? store.close() }
        try store.checkIntegrity()
        try store.trainVectorIndex("near", in: .default)
        #expect(try state(store).isTrained)
        #expect(try store.nextWork(on: Self.index, .whole) == nil)
        try store.checkIntegrity()
    }

    @Test func `a cancelled training keeps what was done`() throws {
        let store = try open()
        defer { try? store.close() }
        try createIndex(4, 2, in: store)
        try save(0..<60, 4, seed: 1, store)
        #expect(throws: CancellationError.self) {
            try store.trainVectorIndex("near", in: .default) { true }
        }
        #expect(try !state(store).isTrained)
        #expect(try store.trainVectorIndex("near", in: .default)?.isTrained == true)
    }

    @Test func `an index is trained again once it has four times as many vectors`() throws {
        let store = try open()
        defer { try? store.close() }
        try createIndex(4, 2, in: store)
        try save(0..<60, 4, seed: 1, store)
        _ = try nearest(4, store)
        #expect(try state(store).trainedCount == 60)
        try save(60..<230, 4, seed: 2, store)
        try store.trainVectorIndex("near", in: .default)
        #expect(try state(store).trainedCount == 60)
        try save(230..<240, 4, seed: 3, store)
        try store.trainVectorIndex("near", in: .default)
        #expect(try state(store).trainedCount == 240)
        #expect(try nearest(4, store) == nearest(4, isExact: true, store))
        try store.checkIntegrity()
    }

    private func save(_ numbers: Range<Int>, _ store: Store, _ vector: (Int) -> [Int]) throws {
        try store.write { writer in
            for number in numbers {
                let body = Array(#"{"v":\#(vector(number))}"#.utf8)
                let id = DocumentID(unchecked: "doc-\(number)")
                _ = try writer.save(id, in: .default, body: body)
            }
        }
    }

    /// Their codes are all the same before.
    @Test func `an index is trained again if new vectors are outside the range of its codes`()
        throws
    {
        let store = try open()
        defer { try? store.close() }
        let upkeep = VectorUpkeep(freshCount: 0)
        try createIndex(4, 2, in: store)
        try save(0..<80, store) { [$0, 80 - $0, $0 * $0 % 80, 7 * $0 % 80] }
        try store.work(on: Self.index, upkeep) { false }
        try save(80..<144, store) { [$0 + 2_000, 3_000 - $0, $0 * $0 % 80, 7 * $0 % 80] }
        try store.work(on: Self.index, upkeep) { false }
        #expect(try state(store).trainedCount == 80)
        try save(144..<180, store) { [$0 + 2_000, 3_000 - $0, $0 * $0 % 80, 7 * $0 % 80] }
        try store.work(on: Self.index, upkeep) { false }
        #expect(try state(store).trainedCount == 180)
        let sql = """
            SELECT META().id FROM _
            ORDER BY APPROX_VECTOR_DISTANCE(v, [2150, 2850, 20, 10]) LIMIT 1
            """
        #expect(try store.rows(of: sql) == [[.string("doc-150")]])
        #expect(try store.nextWork(on: Self.index, upkeep) == nil)
        try store.checkIntegrity()
    }

    @Test func `an index is trained again if a cell gets eight times the mean`() throws {
        let store = try open()
        defer { try? store.close() }
        let upkeep = VectorUpkeep(freshCount: 0)
        try createIndex(2, 16, in: store)
        try save(0..<400, store) { [$0 % 20, $0 / 20] }
        try store.work(on: Self.index, upkeep) { false }
        try save(400..<700, store) { _ in [3, 3] }
        try store.work(on: Self.index, upkeep) { false }
        #expect(try state(store).trainedCount == 400)
        try save(700..<1_200, store) { _ in [3, 3] }
        try store.work(on: Self.index, upkeep) { false }
        #expect(try state(store).trainedCount == 1_200)
        // Equal vectors remain in one cell.
        try save(1_200..<1_300, store) { _ in [3, 3] }
        try store.work(on: Self.index, upkeep) { false }
        #expect(try state(store).trainedCount == 1_200)
        try store.checkIntegrity()
    }

    @Test func `queries remove the codes of deleted documents if there are many`() throws {
        let store = try open()
        defer { try? store.close() }
        try createIndex(4, 2, in: store)
        try save(0..<400, 4, seed: 1, store)
        try store.work(on: Self.index, VectorUpkeep(freshCount: 0)) { false }
        #expect(try store.nextWork(on: Self.index, .whole) == nil)
        try store.write { writer in
            for number in 0..<200 {
                _ = try writer.purge(DocumentID(unchecked: "doc-\(number)"), in: .default)
            }
        }
        #expect(try store.nextWork(on: Self.index, .whole) != nil)
        // Each query notices it; after some, the next one after another transaction does the work.
        for _ in 0..<102 {
            #expect(try nearest(4, store) == nearest(4, isExact: true, store))
            _ = try store.save("other", in: .default, body: Array("{}".utf8))
        }
        #expect(try store.nextWork(on: Self.index, .whole) == nil)
        try store.checkIntegrity()
    }

    @Test(arguments: [1, 2, 5])
    func `an index with fewer different vectors than centroids is trained`(_ count: Int) throws {
        let store = try open()
        defer { try? store.close() }
        try createIndex(2, 8, in: store)
        try store.write { writer in
            for number in 0..<200 {
                let body = Array(#"{"v":[\#(number % count),1]}"#.utf8)
                _ = try writer.save(
                    DocumentID(unchecked: "doc-\(number)"),
                    in: .default,
                    body: body
                )
            }
        }
        #expect(try store.trainVectorIndex("near", in: .default)?.isTrained == true)
        try store.checkIntegrity()
        #expect(try nearest(2, store).count == 5)
    }

    /// Computes the vectors of all documents that lack one in a lazy index.
    private func update(_ store: Store, _ vector: (Int64) -> [Float]) throws {
        let pending = try store.pendingVectors(of: "near", in: .default, limit: 1_000) ?? []
        let vectors = pending.map { ($0.sequence, Optional(vector($0.sequence))) }
        try store.setVectors(vectors, of: "near", in: .default)
    }

    /// The piece has the code of a vector that is removed before it is stored.
    @Test func `a lazy index gives no vector the number of a removed one`() throws {
        let store = try open()
        defer { try? store.close() }
        try createIndex(2, 1, isLazy: true, in: store)
        try save(0..<30, 2, seed: 1, store)
        try update(store) { [Float($0), 0] }
        try store.work(on: Self.index, VectorUpkeep(freshCount: 0)) { false }
        try save(30..<35, 2, seed: 2, store)
        try update(store) { [Float($0), 0] }
        let upkeep = VectorUpkeep(freshCount: 0)
        let work = try #require(try store.nextWork(on: Self.index, upkeep))
        let change = try work.work.finish { false }
        try store.write { _ = try $0.purge("doc-34", in: .default) }
        try save(35..<36, 2, seed: 3, store)
        try update(store) { _ in [-500, 0] }
        try store.write { try $0.change(Self.index, from: work.source, change) }
        try store.checkIntegrity()
        try store.work(on: Self.index, upkeep) { false }
        try store.checkIntegrity()
    }

    @Test func `quick work moves a limited number of vectors`() throws {
        let store = try open()
        defer { try? store.close() }
        try createIndex(2, 1, in: store)
        try save(0..<60, 2, seed: 1, store)
        let few = VectorUpkeep(freshCount: 0, vectorCount: 100)
        try store.work(on: Self.index, few) { false }
        #expect(try state(store).isTrained)
        try save(60..<161, 2, seed: 1, store)
        #expect(try store.nextWork(on: Self.index, few) == nil)
        try save(0..<1, 2, seed: 2, store)
        try store.write { _ = try $0.purge("doc-100", in: .default) }
        try store.write { _ = try $0.purge("doc-101", in: .default) }
        #expect(try store.nextWork(on: Self.index, few) != nil)
    }

    /// Blocks of 16 codes; each piece of the removal reads some of them.
    @Test func `codes of removed vectors are removed in pieces, and small blocks are joined`()
        throws
    {
        let store = try open()
        defer { try? store.close() }
        let dimensions = 400
        try createIndex(dimensions, 2, encoding: .float32, in: store)
        try save(0..<300, dimensions, seed: 1, store)
        var upkeep = VectorUpkeep(freshCount: 0)
        try store.work(on: Self.index, upkeep) { false }
        let before = try blockCount()
        try store.write { writer in
            for number in 0..<300 where number % 10 < 7 || number > 200 {
                _ = try writer.purge(DocumentID(unchecked: "doc-\(number)"), in: .default)
            }
        }
        upkeep.cleanedByteCount = 50_000
        let first = try #require(try store.nextWork(on: Self.index, upkeep))
        let work = try #require(first.work as? SQLiteVectorIndexWork)
        guard case .change(.clean(let blocks)) = work.form else {
            Issue.record("\(work.form)")
            return
        }
        #expect(blocks.next != nil && !blocks.removed.isEmpty && !blocks.written.isEmpty)
        try store.work(on: Self.index, upkeep) { false }
        #expect(try store.nextWork(on: Self.index, upkeep) == nil)
        try store.checkIntegrity()
        // About 60 of 300 vectors are left.
        #expect(try before >= 19 && blockCount() <= before / 2, "of \(before)")
        #expect(try nearest(dimensions, store) == nearest(dimensions, isExact: true, store))
    }

    private func blockCount() throws -> Int64 {
        let connection = try StoreConnection(path: path + "/db.sqlite3", mode: .readOnly)
        return try connection.integer("SELECT count(*) FROM docs_1_vectors_6e656172_blocks") ?? 0
    }

    @Test func `each piece of work can be cancelled`() throws {
        let store = try open()
        defer { try? store.close() }
        try createIndex(4, 2, in: store)
        try save(0..<60, 4, seed: 1, store)
        for _ in 0..<2 {
            // A training, and then the move of vectors into its cells.
            let work = try #require(try store.nextWork(on: Self.index, .whole))
            #expect(throws: VectorError.self) { try work.work.finish { true } }
            let change = try work.work.finish { false }
            try store.write { try $0.change(Self.index, from: work.source, change) }
        }
    }

    @Test func `one thread at a time works on an index`() throws {
        let worker = VectorIndexWorker()
        let other = VectorIndexPath(.default, "other")
        #expect(worker.claim(Self.index))
        #expect(!worker.claim(Self.index) && worker.claim(other))
        worker.release(Self.index)
        #expect(worker.claim(Self.index))
    }

    @Test func `a worker that was closed and opened again works`() throws {
        let store = try open()
        store.vectorWorker.close(waits: true)
        store.vectorWorker.reopen()
        defer { try? store.close() }
        try createIndex(4, 2, in: store)
        try save(0..<60, 4, seed: 1, store)
        store.vectorWorker.begin(Self.index, of: store)
        while try !state(store).isTrained { CurrentThread.yield() }
        try store.checkIntegrity()
    }

    @Test func `work that would take long is left to the background`() throws {
        let store = try open()
        defer { try? store.close() }
        try createIndex(4, 2, in: store)
        try save(0..<60, 4, seed: 1, store)
        #expect(
            try store.nextWork(on: Self.index, VectorUpkeep(vectorCount: 60, productCount: 1_000))
                == nil
        )
        #expect(try store.nextWork(on: Self.index, .quick) != nil)
        #expect(try store.nextWork(on: Self.index, .whole) != nil)
    }
}
