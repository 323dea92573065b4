internal import DivanJSON
internal import DivanQuery
internal import DivanSQLite
internal import DivanVectors

/// A vector index in a database file, as one connection sees it.
///
/// The tables are those of `SQLVectorIndex`. `…_parts` has the parameters (0), the state of the training (1), the codec
/// (2), and the centroids (3 and more).
struct SQLiteVectorIndex {
    /// What training found.
    struct Training {
        /// Differs for each training.
        let identity: String
        let codec: VectorCodec
        let centroids: Centroids
    }

    /// How far vectors are in cells; changes after each transaction that moves some.
    struct State: Equatable {
        /// The identity of the training.
        var identity: String
        /// The number of vectors that the index was trained with.
        var trainedCount: Int
        /// Differs for each change of the codes.
        var version = 0
        /// The greatest number of a vector in a cell: vectors with greater numbers are new.
        var placed: Int64 = 0
        /// The number of codes in blocks, including those of removed vectors.
        var codeCount = 0
        /// The numbers of cells that have 96 % of the neighbours, for each of `neighborCounts`; empty if not measured.
        var probeCounts: [Int] = []

        /// The numbers of neighbours for which cells are counted.
        static let neighborCounts = [10, 100, 1_000]
    }

    let table: String
    let options: QueryVectorOptions
    let training: Training?
    /// `nil` if the index is not trained.
    let state: State?

    /// Reads an index; the training of `known` is used again if nothing was trained since.
    init(
        _ table: String,
        on connection: StoreConnection,
        knownAs known: SQLiteVectorIndex? = nil
    ) throws {
        let (options, state) = try Self.head(table, on: connection)
        (self.table, self.options, self.state) = (table, options, state)
        if state?.identity == known?.training?.identity, options == known?.options {
            training = known?.training
        } else {
            training = try state.map {
                try Self.training(table, options, $0.identity, on: connection)
            }
        }
    }

    /// Reads the parameters and the state.
    static func head(
        _ table: String,
        on connection: StoreConnection
    ) throws -> (options: QueryVectorOptions, state: State?) {
        let heads = try connection.functionStatement(
            "SELECT value FROM \(table)_parts WHERE number <= 1 ORDER BY number"
        )
        defer { heads.reset() }
        guard try heads.step(), let options = QueryVectorOptions(json: heads.text(0)),
            options.isPossible
        else {
            throw heads.corrupt("invalid parameters of a vector index")
        }
        guard try heads.step() else { return (options, nil) }
        guard let state = State(json: heads.bytes(0)) else {
            throw heads.corrupt("invalid training state of a vector index")
        }
        return (options, state)
    }

    private static func training(
        _ table: String,
        _ options: QueryVectorOptions,
        _ identity: String,
        on connection: StoreConnection
    ) throws -> Training {
        let rows = try connection.prepare(
            "SELECT value FROM \(table)_parts WHERE number >= 2 ORDER BY number"
        )
        guard try rows.step() else { throw rows.corrupt("missing codec of a vector index") }
        let stored = rows.bytes(0)
        let training: Training
        do throws(VectorError) {
            training = Training(
                identity: identity,
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
    func unencodedCell(_ training: Training) -> Int { training.centroids.count }

    /// Reads the vectors that are in no cell, with their numbers, owners and floats, by ascending number.
    func newVectors(on connection: StoreConnection) throws(StoreError) -> StoreStatement {
        let rows = try connection.functionStatement(
            """
            SELECT number, owner, \(Self.floats(of: table)) FROM \(table) AS v
            WHERE number > ?1 ORDER BY number
            """
        )
        try rows.bind(state?.placed ?? Int64.min, at: 1)
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

    /// Vectors in the form in which they are compared with cells: of length 1 for the cosine distance.
    ///
    /// - Parameter floats: Vectors, one after another.
    /// - Returns: The same number of vectors, in the same order.
    func directions(of floats: [Float]) -> [Float] {
        guard options.metric == .cosine else { return floats }
        return stride(from: 0, to: floats.count, by: options.dimensions).flatMap { start in
            let vector = floats[start..<min(start + options.dimensions, floats.count)]
            let length = vector.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
            return length > 0 ? vector.map { Float(Double($0) / length) } : Array(vector)
        }
    }

    /// The cells, the nearest first; only `limit` of them if it is set.
    func cells(
        near target: [Float],
        _ training: Training,
        limit: Int? = nil
    ) throws(VectorError) -> [Int] {
        let target = directions(of: target)
        let distances =
            options.metric == .dot
            ? try training.centroids.products(with: target.span).map { -$0 }
            : try training.centroids.squaredDistances(from: target.span)
        var nearest = NearestNeighbors(limit: limit ?? distances.count)
        for (cell, distance) in distances.enumerated() {
            // Products of very large numbers may be no numbers.
            nearest.insert(Int64(cell), at: distance.isNaN ? .infinity : distance)
        }
        return nearest.sorted.map { Int($0.id) }
    }
}

extension SQLiteVectorIndex.State {
    /// Reads it; `nil` for any other text.
    init?(json text: [UInt8]) {
        guard let json = try? JSON(parsing: text), let identity = json["identity"]?.string else {
            return nil
        }
        // Far beyond any count, and far from where sums overflow.
        func count(_ name: String) -> Int? {
            json[name]?.int.flatMap { 0...1 << 53 ~= $0 ? Int(exactly: $0) : nil }
        }
        guard let trainedCount = count("count"), let version = count("version"),
            let placed = count("placed"), let codeCount = count("codes"),
            let probes = json["probes"]?.array,
            probes.isEmpty || probes.count == Self.neighborCounts.count
        else { return nil }
        let probeCounts = probes.compactMap { probe in
            probe.int.flatMap { 1...Int64(VectorLimits.centroidCount) ~= $0 ? Int($0) : nil }
        }
        guard probeCounts.count == probes.count else { return nil }
        self.init(
            identity: identity,
            trainedCount: trainedCount,
            version: version,
            placed: Int64(placed),
            codeCount: codeCount,
            probeCounts: probeCounts
        )
    }

    /// The number of cells to search for a number of neighbours; at most `all`.
    ///
    /// Between the measured numbers, and up to all vectors, it is interpolated over the logarithm of the neighbours.
    func probeCount(for neighborCount: Double, of all: Int) -> Int {
        // Linear between the powers of two.
        func logarithm(_ count: Double) -> Double { Double(count.exponent) + count.significand - 1 }
        var points = zip(Self.neighborCounts, probeCounts).map { (Double($0), Double($1)) }
        if points.isEmpty { points = [(10, Double(min(all, max(8, all / 20))))] }
        points.append((Double(codeCount), Double(all)))
        let wanted = max(neighborCount, points[0].0)
        for (low, high) in zip(points, points.dropFirst()) where wanted <= high.0 {
            let distance = logarithm(high.0) - logarithm(low.0)
            let share = (logarithm(wanted) - logarithm(low.0)) / distance
            return min(all, max(1, Int((low.1 + share * (high.1 - low.1)).rounded(.up))))
        }
        return all
    }

    /// Stores it in the parts of an index.
    func store(in table: String, on connection: StoreConnection) throws {
        let members: JSONObject = [
            "identity": .string(identity), "count": .int(Int64(trainedCount)),
            "placed": .int(placed), "codes": .int(Int64(codeCount)),
            "version": .int(Int64(version)), "probes": .array(probeCounts.map { .int(Int64($0)) }),
        ]
        let insert = try connection.prepare(
            "INSERT OR REPLACE INTO \(table)_parts (number, value) VALUES (1, ?1)"
        )
        try insert.bind(try JSON.object(members).canonicalBytes(), at: 1)
        try insert.run()
    }
}

/// Codes of vectors in one cell, as they are stored in a row.
///
/// After a float, the greatest error of the codes (`EstimateBounds`), are the numbers of the vectors, 8 bytes each, and
/// the codes, all little-endian. The row's ID is the number of the cell, and the number of the block in it.
struct SQLiteVectorBlock {
    static let headByteCount = 4
    static let numberByteCount = 8
    private static let idBitCount: Int64 = 20

    /// The IDs of the blocks of a cell.
    static func ids(of cell: Int) -> ClosedRange<Int64> {
        let first = Int64(cell) << idBitCount
        return first...first | (1 << idBitCount - 1)
    }

    /// The cell of a block.
    static func cell(of id: Int64) -> Int { Int(clamping: id >> idBitCount) }

    /// The number of codes in a full block, which takes about three pages.
    static func capacity(codeByteCount: Int) -> Int {
        max(16, min(256, StoreLimits.vectorBlockByteCount / (codeByteCount + numberByteCount)))
    }

    private(set) var error: Float = 0
    private(set) var numbers: [Int64] = []
    private(set) var codes: [UInt8] = []

    init() {}

    /// Reads a block; `nil` if its length is wrong.
    init?(_ bytes: UnsafeBufferPointer<UInt8>, codeByteCount: Int) {
        guard let count = Self.count(bytes.count, codeByteCount: codeByteCount) else { return nil }
        error = Self.error(bytes)
        numbers = (0..<count).map { Self.number($0, bytes) }
        codes = Array(bytes[Self.codes(count)...])
    }

    /// The number of codes in a block; `nil` if its length is wrong.
    static func count(_ byteCount: Int, codeByteCount: Int) -> Int? {
        let rest = byteCount - headByteCount
        let each = numberByteCount + codeByteCount
        return rest >= 0 && rest.isMultiple(of: each) ? rest / each : nil
    }

    /// The greatest error of the codes; infinite in a damaged block, so that all are looked at.
    static func error(_ bytes: UnsafeBufferPointer<UInt8>) -> Float {
        let bits = UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt32.self)
        let error = Float(bitPattern: UInt32(littleEndian: bits))
        return error >= 0 ? error : .infinity
    }

    /// The number of a vector, of which there must be more than `index`.
    static func number(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        let place = headByteCount + index * numberByteCount
        let bits = UnsafeRawBufferPointer(bytes).loadUnaligned(
            fromByteOffset: place,
            as: Int64.self
        )
        return Int64(littleEndian: bits)
    }

    /// Where the codes begin.
    static func codes(_ count: Int) -> Int { headByteCount + count * numberByteCount }

    mutating func append(_ number: Int64, _ code: some Collection<UInt8>, error: Float) {
        numbers.append(number)
        codes += code
        self.error = max(self.error, error)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [error].storedBytes
        bytes.reserveCapacity(Self.codes(numbers.count) + codes.count)
        for number in numbers {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes + codes
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
