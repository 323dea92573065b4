internal import DivanJSON
internal import DivanQuery
internal import DivanSQLite
internal import DivanVectors

extension SQLiteSession {
    func vectorIndexState(_ table: String) throws(StoreError) -> VectorIndexState? {
        let options = try connection.text("SELECT value FROM \(table)_parts WHERE number = 0")
            .flatMap { QueryVectorOptions(json: $0) }
        guard let options else {
            throw StoreError(.corrupt("invalid parameters of a vector index"), at: connection.path)
        }
        let isTrained =
            try connection.integer("SELECT 1 FROM \(table)_parts WHERE number = 1") == 1
        let (limit, cell) = (StoreLimits.freshVectorCount + 1, SQLiteVectorIndex.freshCell)
        let fresh = "SELECT 1 FROM \(table) WHERE cell = \(cell) LIMIT \(limit)"
        let count = try connection.integer(
            "SELECT count(*) FROM \(isTrained ? "(\(fresh))" : table)"
        )
        return VectorIndexState(
            options: options,
            isTrained: isTrained,
            untrainedCount: isTrained ? 0 : Int(clamping: count ?? 0),
            freshCount: isTrained ? Int(clamping: count ?? 0) : 0
        )
    }

    func pendingVectors(of table: String, limit: Int) throws(StoreError) -> [Int64] {
        let rows = try connection.prepare(
            "SELECT owner FROM \(table)_pending ORDER BY owner LIMIT ?1"
        )
        try rows.bind(Int64(limit), at: 1)
        var owners: [Int64] = []
        while try rows.step() { owners.append(rows.integer(0)) }
        return owners
    }

    func setVectors(
        _ vectors: [(sequence: Int64, vector: [Float]?)],
        in table: String
    ) throws(StoreError) {
        let done = try connection.prepare("DELETE FROM \(table)_pending WHERE owner = ?1")
        let remove = try connection.prepare("DELETE FROM \(table) WHERE owner = ?1")
        let insert = try connection.prepare(
            "INSERT INTO \(table) (cell, owner, code) VALUES (\(SQLiteVectorIndex.freshCell), ?1, ?2)"
        )
        for (sequence, vector) in vectors {
            try done.bind(sequence, at: 1)
            try done.run()
            // The document was changed, deleted, or updated by somebody else.
            guard connection.changedRowCount > 0 else { continue }
            try remove.bind(sequence, at: 1)
            try remove.run()
            guard let vector else { continue }
            try insert.bind(sequence, at: 1)
            try insert.bind(vector.storedBytes, at: 2)
            try insert.run()
        }
    }

    func trainVectorIndex(_ table: String) throws {
        var index = try SQLiteVectorIndex(table, on: connection)
        if index.training == nil {
            try SQLiteVectorTraining(index, on: connection).run()
            index = try SQLiteVectorIndex(table, on: connection)
        }
        guard let training = index.training else { return }
        try SQLiteVectorPlacing(index, training, on: connection).run()
    }
}

/// Finds the cells and the codec of a vector index from a sample of its vectors.
private struct SQLiteVectorTraining {
    private let index: SQLiteVectorIndex
    private let connection: StoreConnection
    private var options: QueryVectorOptions { index.options }

    init(_ index: SQLiteVectorIndex, on connection: StoreConnection) {
        self.index = index
        self.connection = connection
    }

    func run() throws {
        let needed = 12 * options.centroidCount * options.dimensions
        let limit = VectorLimits.trainingByteCount - 2 * StoreLimits.vectorSampleByteCount
        guard needed <= limit else {
            throw VectorError.trainingMemory(byteCount: needed, limit: limit)
        }
        let (sample, count) = try self.sample()
        let directions = stride(from: 0, to: sample.count, by: options.dimensions).flatMap {
            SQLiteVectorIndex.direction(
                Array(sample[$0..<$0 + options.dimensions]),
                options.metric
            )
        }
        var means = try KMeans(
            directions,
            dimensions: options.dimensions,
            centroids: options.centroidCount,
            seed: 1
        )
        let centroids = try means.finish()
        var training = try CodecTraining(
            options.vectorEncoding,
            dimensions: options.dimensions,
            metric: options.metric.distanceMetric,
            sample: sample,
            seed: 1
        )
        try store(try training.finish().bytes, try centroids.blocks, count)
    }

    /// Vectors from the whole index, and the number of all.
    private func sample() throws -> (floats: [Float], count: Int) {
        let table = index.table
        let count = Int(clamping: try connection.integer("SELECT count(*) FROM \(table)") ?? 0)
        let sampleCount = min(count, options.maximumTrainingCount)
        let rows = try connection.prepare("SELECT code FROM \(table) WHERE cell < 0 ORDER BY owner")
        var floats: [Float] = []
        floats.reserveCapacity(sampleCount * options.dimensions)
        var (seen, taken) = (0, 0)
        while try rows.step() {
            seen += 1
            // Evenly spread over all rows.
            guard seen * sampleCount / max(count, 1) > taken else { continue }
            taken += 1
            let vector = rows.floats(0)
            guard vector.count == options.dimensions else {
                throw rows.corrupt("a vector in a vector index has the wrong length")
            }
            floats += vector
        }
        return (floats, count)
    }

    private func store(_ codec: [UInt8], _ blocks: [[UInt8]], _ count: Int) throws {
        // The checksums of both, which differ if anything else was trained.
        let heads = ([codec] + blocks).map { $0.prefix(8) }
        var identity = [UInt8](repeating: 0, count: 8)
        for (number, head) in heads.enumerated() {
            for (place, byte) in head.enumerated() {
                identity[(place + number) % 8] = identity[(place + number) % 8] &* 31 ^ byte
            }
        }
        let head = JSON.object([
            "count": .int(Int64(count)),
            "identity": .string(identity.map { String($0, radix: 16) }.joined(separator: "-")),
        ])
        let insert = try connection.prepare(
            "INSERT INTO \(index.table)_parts (number, value) VALUES (?1, ?2)"
        )
        for (number, part) in ([try head.canonicalBytes(), codec] + blocks).enumerated() {
            try insert.bind(Int64(number + 1), at: 1)
            try insert.bind(part, at: 2)
            try insert.run()
        }
    }
}

/// Moves new vectors into the cells of a trained index.
private struct SQLiteVectorPlacing {
    private static let batchCount = 512

    private let index: SQLiteVectorIndex
    private let training: SQLiteVectorIndex.Training
    private let connection: StoreConnection

    init(
        _ index: SQLiteVectorIndex,
        _ training: SQLiteVectorIndex.Training,
        on connection: StoreConnection
    ) {
        self.index = index
        self.training = training
        self.connection = connection
    }

    func run() throws {
        let fresh = SQLiteVectorIndex.freshCell
        let rows = try connection.prepare(
            """
            SELECT owner, code FROM \(index.table) WHERE cell = \(fresh)
            ORDER BY owner LIMIT \(Self.batchCount)
            """
        )
        let move = try connection.prepare(
            """
            UPDATE \(index.table) SET cell = ?1, code = ?2, origin = ?3
            WHERE cell = \(fresh) AND owner = ?4
            """
        )
        while true {
            var batch: [(owner: Int64, vector: [Float])] = []
            while try rows.step() { batch.append((rows.integer(0), rows.floats(1))) }
            rows.reset()
            if batch.isEmpty { return }
            try place(batch, move)
        }
    }

    private func place(
        _ batch: [(owner: Int64, vector: [Float])],
        _ move: StoreStatement
    ) throws {
        let metric = index.options.metric
        let directions = batch.flatMap { SQLiteVectorIndex.direction($0.vector, metric) }
        let cells = try training.centroids.nearest(to: directions.span).positions
        let keepsOrigin = index.options.isLazy && index.options.encoding != .float32
        for (number, (owner, vector)) in batch.enumerated() {
            var code: [UInt8] = []
            var cell = Int64(cells[number])
            do throws(VectorError) {
                try training.codec.encode(vector.span, appendingTo: &code)
            } catch {
                // A vector of zeros has no direction.
                code = vector.storedBytes
                cell = Int64(SQLiteVectorIndex.unencodedCell)
            }
            try move.bind(cell, at: 1)
            try move.bind(code, at: 2)
            if keepsOrigin, cell >= 0 {
                try move.bind(vector.storedBytes, at: 3)
            } else {
                try move.bind(Int64?.none, at: 3)
            }
            try move.bind(owner, at: 4)
            try move.run()
        }
    }
}
