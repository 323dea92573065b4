internal import DivanJSON
internal import DivanQuery
internal import DivanSQLite
internal import DivanVectors

/// A vector index in a database file, as one connection sees it.
///
/// The tables are those of `SQLIndexTranslation`: a row of the main table is a vector in a cell, and `…_parts` has the
/// parameters (0), what was trained and its identity (1), the codec (2), and the centroids (3 and more).
struct SQLiteVectorIndex {
    /// What training found.
    struct Training {
        /// Differs for each training.
        let identity: String
        /// The number of vectors at that time.
        let count: Int
        let codec: VectorCodec
        let centroids: Centroids
    }

    /// The cell of new vectors, which are floats.
    static let freshCell = -1
    /// The cell of vectors that the codec cannot encode, which are floats.
    static let unencodedCell = -2

    let table: String
    let options: QueryVectorOptions
    let training: Training?

    /// Reads an index; `known` is returned if nothing was trained since.
    init(
        _ table: String,
        on connection: StoreConnection,
        knownAs known: SQLiteVectorIndex? = nil
    ) throws {
        let heads = try connection.prepare(
            "SELECT value FROM \(table)_parts WHERE number <= 1 ORDER BY number"
        )
        guard try heads.step(), let options = QueryVectorOptions(json: heads.text(0)) else {
            throw heads.corrupt("invalid parameters of a vector index")
        }
        self.table = table
        self.options = options
        guard try heads.step() else {
            training = nil
            return
        }
        let head = heads.bytes(0)
        guard let json = try? JSON(parsing: head), let identity = json["identity"]?.string,
            let count = json["count"]?.int.flatMap({ Int(exactly: $0) })
        else { throw heads.corrupt("invalid training state of a vector index") }
        if let known, known.training?.identity == identity, known.options == options {
            training = known.training
            return
        }
        let rest = try connection.prepare(
            "SELECT value FROM \(table)_parts WHERE number >= 2 ORDER BY number"
        )
        guard try rest.step() else { throw rest.corrupt("missing codec of a vector index") }
        let stored = rest.bytes(0)
        do throws(VectorError) {
            let codec = try VectorCodec(bytes: stored.span.bytes)
            let blocks = try Self.blocks(rest)
            training = Training(
                identity: identity,
                count: count,
                codec: codec,
                centroids: try Centroids(blocks: blocks, dimensions: options.dimensions)
            )
        } catch {
            throw rest.corrupt("a vector index: \(error)")
        }
        guard training?.codec.dimensions == options.dimensions else {
            throw rest.corrupt("the codec of a vector index has the wrong dimensions")
        }
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

    /// The form in which cells are compared with a vector: of length 1 for the cosine distance.
    static func direction(_ vector: [Float], _ metric: QueryVectorMetric) -> [Float] {
        guard metric == .cosine else { return vector }
        let length = vector.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
        return length > 0 ? vector.map { Float(Double($0) / length) } : vector
    }

    // MARK: Searching

    /// The documents that are probably the nearest ones, by their sequences.
    func candidates(
        _ target: [Float],
        probes: Int,
        limit: Int,
        on connection: StoreConnection
    ) throws -> [Int64] {
        var nearest = NearestNeighbors(limit: limit)
        guard limit > 0 else { return [] }
        let floats = try VectorCodec(
            dimensions: options.dimensions,
            metric: options.metric.distanceMetric
        )
        let rows = try connection.prepare("SELECT owner, code FROM \(table) WHERE cell < 0")
        try scan(rows, floats, target, &nearest)
        guard let training else { return nearest.sorted.map(\.id) }
        let cell = try connection.prepare("SELECT owner, code FROM \(table) WHERE cell = ?1")
        let count = probes > 0 ? probes : options.defaultProbeCount(trainedOn: training.count)
        for number in try cells(near: target, training).prefix(count) {
            try cell.bind(Int64(number), at: 1)
            try scan(cell, training.codec, target, &nearest)
            cell.reset()
        }
        return nearest.sorted.map(\.id)
    }

    /// The cells, the nearest first.
    private func cells(near target: [Float], _ training: Training) throws(VectorError) -> [Int] {
        let target = Self.direction(target, options.metric)
        let distances =
            options.metric == .dot
            ? try training.centroids.products(with: target.span).map { -$0 }
            : try training.centroids.squaredDistances(from: target.span)
        return distances.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }
    }

    private func scan(
        _ rows: StoreStatement,
        _ codec: VectorCodec,
        _ target: [Float],
        _ nearest: inout NearestNeighbors
    ) throws {
        let scanner = try codec.scanner(for: target.span)
        let batchCount = 64
        var (owners, codes) = ([Int64](), [UInt8]())
        codes.reserveCapacity(batchCount * codec.codeByteCount)
        var distances = [Float](repeating: 0, count: batchCount)
        var hasMore = true
        while hasMore {
            owners.removeAll(keepingCapacity: true)
            codes.removeAll(keepingCapacity: true)
            while owners.count < batchCount {
                hasMore = try rows.step()
                guard hasMore else { break }
                owners.append(rows.integer(0))
                rows.withBytes(1) { codes.append(contentsOf: $0) }
                guard codes.count == owners.count * codec.codeByteCount else {
                    throw rows.corrupt("a vector in a vector index has the wrong length")
                }
            }
            if owners.isEmpty { break }
            if distances.count != owners.count {
                distances = [Float](repeating: 0, count: owners.count)
            }
            try scanner.distances(to: codes.span.bytes, into: distances.mutableSpan)
            for (owner, distance) in zip(owners, distances) { nearest.insert(owner, at: distance) }
        }
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
        return stride(from: 0, to: bytes.count - 3, by: 4).map { offset in
            // Every bit pattern is a number, and offsets are checked.
            let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return Float(bitPattern: UInt32(littleEndian: bits))
        }
    }
}

extension [Float] {
    /// The numbers as they are stored.
    var storedBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * count)
        for float in self {
            for shift in [0, 8, 16, 24] as [UInt32] {
                bytes.append(UInt8(truncatingIfNeeded: float.bitPattern >> shift))
            }
        }
        return bytes
    }
}
