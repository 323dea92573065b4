internal import DivanJSON
internal import DivanQuery
internal import DivanSQLite
internal import DivanVectors

extension SQLiteSession {
    func vectorIndexState(_ table: String) throws -> VectorIndexState? {
        let index = try SQLiteVectorIndex.head(table, on: connection)
        guard let state = index.state else {
            let count = try connection.integer("SELECT count(*) FROM \(table)") ?? 0
            return VectorIndexState(
                options: index.options,
                isTrained: false,
                untrainedCount: Int(clamping: count),
                freshCount: 0
            )
        }
        let fresh = try connection.prepare(
            "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE number > ?1 LIMIT ?2)"
        )
        try fresh.bind(state.placed, at: 1)
        try fresh.bind(Int64(StoreLimits.freshVectorCount + 1), at: 2)
        return VectorIndexState(
            options: index.options,
            isTrained: true,
            untrainedCount: 0,
            freshCount: try fresh.step() ? Int(clamping: fresh.integer(0)) : 0
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

    func setVectors(_ vectors: [(sequence: Int64, vector: [Float]?)], in table: String) throws {
        let done = try connection.prepare("DELETE FROM \(table)_pending WHERE owner = ?1")
        let removals = try ["number = ?1 AND owner = ?1", "owner = ?1 AND owner <> number"].map {
            try connection.prepare("DELETE FROM \(table) WHERE \($0)")
        }
        let insert = try connection.prepare(
            "INSERT INTO \(table) (number, owner, vector) VALUES (?1, ?2, ?3)"
        )
        // The vectors of a lazy index are not in the order of sequences; numbers are not used again.
        let placed = try SQLiteVectorIndex.head(table, on: connection).state?.placed ?? 0
        var number = max(placed, try connection.integer("SELECT max(number) FROM \(table)") ?? 0)
        for (sequence, vector) in vectors {
            try done.bind(sequence, at: 1)
            try done.run()
            // The document was changed, deleted, or updated by somebody else.
            guard connection.changedRowCount > 0 else { continue }
            for remove in removals {
                try remove.bind(sequence, at: 1)
                try remove.run()
            }
            guard let vector else { continue }
            number &+= 1
            try insert.bind(number, at: 1)
            try insert.bind(sequence, at: 2)
            try insert.bind(vector.storedBytes, at: 3)
            try insert.run()
        }
    }

    func trainVectorIndex(_ table: String) throws {
        var index = try SQLiteVectorIndex(table, on: connection)
        if index.training == nil {
            try SQLiteVectorTraining(index, on: connection).run()
            index = try SQLiteVectorIndex(table, on: connection)
        }
        guard let training = index.training, let state = index.state else { return }
        var placing = SQLiteVectorPlacing(index, training, state, on: connection)
        try placing.run()
        try placing.measureProbes()
        try placing.finish()
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
        var means = try KMeans(
            index.directions(of: sample),
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
        // Evenly spread over all rows.
        let rows = try connection.prepare(
            """
            SELECT \(SQLiteVectorIndex.floats(of: table))
            FROM (SELECT owner, vector, row_number() OVER (ORDER BY number) AS place FROM \(table))
                AS v WHERE place * ?1 / ?2 > (place - 1) * ?1 / ?2
            """
        )
        try rows.bind(Int64(sampleCount), at: 1)
        try rows.bind(Int64(max(count, 1)), at: 2)
        var floats: [Float] = []
        floats.reserveCapacity(sampleCount * options.dimensions)
        while try rows.step() {
            let vector = rows.floats(0)
            guard vector.count == options.dimensions else {
                throw rows.corrupt("a vector in a vector index has the wrong length")
            }
            floats += vector
        }
        return (floats, count)
    }

    private func store(_ codec: [UInt8], _ blocks: [[UInt8]], _ count: Int) throws {
        // Random, since a rebuilt index can have the same training and other numbers.
        let state = SQLiteVectorIndex.State(
            identity: try connection.text("SELECT hex(randomblob(16))") ?? "",
            trainedCount: count
        )
        try state.store(in: index.table, on: connection)
        let insert = try connection.prepare(
            "INSERT INTO \(index.table)_parts (number, value) VALUES (?1, ?2)"
        )
        for (number, part) in ([codec] + blocks).enumerated() {
            try insert.bind(Int64(number + 2), at: 1)
            try insert.bind(part, at: 2)
            try insert.run()
        }
    }
}
