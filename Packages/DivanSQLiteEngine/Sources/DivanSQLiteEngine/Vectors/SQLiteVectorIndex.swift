internal import DivanJSON
internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage
internal import DivanVectors

/// An epoch of a vector index in a database file, as one connection sees it.
///
/// The tables are those of `SQLVectorIndex`. Theory of operation: an epoch is a training, and the codes that it gives to
/// the vectors. An index has at most two. Queries search the current one; the next one is built beside it in small
/// transactions (`SQLiteVectorIndexWork`), and then becomes the current one. Each has one of two slots, which have their own
/// parts and blocks. A slot with neither epoch may still have those of an earlier one, which are removed step by step.
struct SQLiteVectorIndex {
    /// What training found.
    struct Training {
        /// Differs for each training.
        let identity: String
        let codec: VectorCodec
        let centroids: Centroids
        /// The number of different centroids, which come first: vectors are in their cells only.
        let cellCount: Int

        init(identity: String, codec: VectorCodec, centroids: Centroids) {
            (self.identity, self.codec, self.centroids) = (identity, codec, centroids)
            var count = centroids.count
            while count > 1, centroids[count - 1] == centroids[count - 2] { count -= 1 }
            cellCount = count
        }
    }

    let table: String
    let options: QueryVectorOptions
    /// `nil` if the epoch does not exist, or if only its codes are moved.
    let training: Training?
    /// `nil` if the epoch does not exist.
    let state: State?

    /// An index without the training.
    init(_ table: String, _ options: QueryVectorOptions, _ state: State?) {
        (self.table, self.options, self.state) = (table, options, state)
        training = nil
    }

    /// Reads an index; the training of `known` is used again if nothing was trained since.
    init(
        _ table: String,
        _ epoch: Epoch = .current,
        on connection: StoreConnection,
        knownAs known: SQLiteVectorIndex? = nil
    ) throws {
        let head = try Head(table, on: connection)
        let state = epoch == .current ? head.state : head.next
        (self.table, options, self.state) = (table, head.options, state)
        if state?.identity == known?.training?.identity, options == known?.options {
            training = known?.training
        } else {
            training = try state.map { try Self.training(table, head.options, $0, on: connection) }
        }
    }

    private static func training(
        _ table: String,
        _ options: QueryVectorOptions,
        _ state: State,
        on connection: StoreConnection
    ) throws -> Training {
        let rows = try connection.prepare(
            "SELECT value FROM \(table)_parts WHERE number BETWEEN ?1 AND ?2 ORDER BY number"
        )
        try rows.bind(state.slot.parts, at: 1)
        guard try rows.step() else { throw rows.corrupt("missing codec of a vector index") }
        let stored = rows.bytes(0)
        let training: Training
        do throws(VectorError) {
            training = Training(
                identity: state.identity,
                codec: try VectorCodec(bytes: stored.span.bytes),
                centroids: try Centroids(blocks: try blocks(rows), dimensions: options.dimensions)
            )
        } catch {
            throw rows.corrupt("a vector index: \(error)")
        }
        guard training.codec.dimensions == options.dimensions,
            training.codec.metric == options.metric.distanceMetric,
            training.codec.encoding == options.vectorEncoding,
            training.centroids.count == options.centroidCount
        else { throw rows.corrupt("a vector index was trained with other parameters") }
        return training
    }

    private static func blocks(_ rows: StoreStatement) throws(VectorError) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        do throws(StoreError) {
            while try rows.step() { blocks.append(rows.bytes(0)) }
        } catch {
            throw .damaged("\(error)")
        }
        return blocks
    }

    // MARK: Cells

    /// The cell of vectors that the codec cannot encode: its blocks have floats.
    var unencodedCell: Int { options.centroidCount }

    /// The IDs of the blocks of a cell.
    func blockIDs(of cell: Int) -> ClosedRange<Int64> {
        SQLiteVectorBlock.ids(of: cell, in: state?.slot ?? .first)
    }

    /// The share of the largest cell in the bytes of all codes.
    func largestShare(on connection: StoreConnection) throws(StoreError) -> Double {
        // The length of a blob is known without its bytes.
        let rows = try connection.functionStatement(
            """
            SELECT id, length(entries) FROM \(table)_blocks WHERE id >= ?1 AND id < ?2
            ORDER BY id
            """
        )
        defer { rows.reset() }
        try rows.bind(blockIDs(of: 0).lowerBound, at: 1)
        try rows.bind(blockIDs(of: unencodedCell).lowerBound, at: 2)
        var (all, largest, cell, count) = (0.0, 0.0, 0, 0.0)
        while try rows.step() {
            let next = SQLiteVectorBlock.cell(of: rows.integer(0))
            if next != cell { (cell, count) = (next, 0) }
            count += Double(rows.integer(1))
            all += Double(rows.integer(1))
            largest = max(largest, count)
        }
        return all > 0 ? largest / all : 0
    }

    /// Reads the vectors that are in no cell, with their numbers, owners and floats, by ascending number.
    func newVectors(on connection: StoreConnection) throws(StoreError) -> StoreStatement {
        let rows = try connection.functionStatement(
            """
            SELECT number, owner, \(Self.floats(of: table)) FROM \(table) AS v
            WHERE number > ?1 ORDER BY number
            """
        )
        try rows.bind(state?.placed ?? 0, at: 1)
        return rows
    }

    /// The codec of vectors that are not encoded.
    var floats: VectorCodec {
        get throws(VectorError) {
            try VectorCodec(dimensions: options.dimensions, metric: options.metric.distanceMetric)
        }
    }

    /// The floats of the row `v` of the main table, in SQL: some are in the row, others in the document.
    static func floats(of table: String) -> String {
        "coalesce(v.vector, (SELECT d.vector FROM \(table)_documents AS d WHERE d.owner = v.owner))"
    }

    /// Whether a search must not limit the number of its candidates, and reads all cells.
    ///
    /// Computing the distances of all documents that meet the conditions would be exact, too.
    func missesNone(isExact: Bool, hasFilter: Bool) -> Bool {
        isExact || (hasFilter && state?.isLarge != true)
    }

    /// The number of cells in which enough of so many neighbours are.
    func probeCount(for neighborCount: Double) -> Int {
        guard let state, state.isLarge else { return options.centroidCount }
        return state.probeCount(for: neighborCount, of: options.centroidCount)
    }

    /// The cells, the nearest first; only `limit` of them if it is set.
    func cells(
        near target: [Float],
        _ training: Training,
        limit: Int? = nil
    ) throws(VectorError) -> [Int] {
        let target = options.directions(of: target)
        let distances =
            options.metric == .dot
            ? try training.centroids.products(with: target.span).map { -$0 }
            : try training.centroids.squaredDistances(from: target.span)
        var nearest = NearestNeighbors(limit: limit ?? training.cellCount)
        for (cell, distance) in distances.prefix(training.cellCount).enumerated() {
            // Products of very large numbers may be no numbers.
            nearest.insert(Int64(cell), at: distance.isNaN ? .infinity : distance)
        }
        return nearest.sorted.map { Int($0.id) }
    }
}

extension SQLiteStatement<StoreFunctions> {
    /// The floats of a blob.
    func floats(_ index: Int32) -> [Float] {
        withBytes(index) { $0.floats }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The numbers, as `storedBytes` stores them: little-endian.
    var floats: [Float] {
        let bytes = UnsafeRawBufferPointer(self)
        let count = bytes.count / 4
        return [Float](unsafeUninitializedCapacity: count) { floats, filled in
            for index in 0..<count {
                // Every bit pattern is a number, and offsets are checked.
                let bits = bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
                floats[index] = Float(bitPattern: UInt32(littleEndian: bits))
            }
            filled = count
        }
    }
}

extension [Float] {
    /// The numbers as they are stored.
    var storedBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * count)
        for float in self {
            Swift.withUnsafeBytes(of: float.bitPattern.littleEndian) {
                bytes.append(contentsOf: $0)
            }
        }
        return bytes
    }
}
