internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage
internal import DivanVectors

/// New vectors, as a snapshot shows them, which are to be moved into the cells of an epoch.
struct NewVectors: Sendable {
    fileprivate let options: QueryVectorOptions
    fileprivate let training: SQLiteVectorIndex.Training
    fileprivate let numbers: [Int64]
    /// One vector after another.
    fileprivate let floats: [Float]

    /// Finds the cell and the code of each vector.
    ///
    /// - Throws: `VectorError.cancelled`.
    func placed(isCancelled: () -> Bool) throws(VectorError) -> PlacedVectors {
        let dimensions = options.dimensions
        let stepCount = max(
            1,
            min(1_024, VectorLimits.stepProductCount / options.placingProductCount)
        )
        var (blocks, errors): ([Int: SQLiteVectorBlock], [Float]) = ([:], [])
        errors.reserveCapacity(numbers.count)
        for start in stride(from: 0, to: numbers.count, by: stepCount) {
            if isCancelled() { throw .cancelled }
            let end = min(start + stepCount, numbers.count)
            let directions = options.directions(
                of: Array(floats[start * dimensions..<end * dimensions])
            )
            let cells = try training.centroids.nearest(to: directions.span).positions
            for (place, cell) in zip(start..<end, cells) {
                errors.append(encode(place, Int(cell), &blocks))
            }
        }
        errors.sort()
        return PlacedVectors(
            count: numbers.count,
            last: numbers.last ?? 0,
            errors: errors,
            cells: blocks.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        )
    }

    /// Returns the error of the code.
    private func encode(
        _ place: Int,
        _ cell: Int,
        _ blocks: inout [Int: SQLiteVectorBlock]
    ) -> Float {
        let components = place * options.dimensions..<(place + 1) * options.dimensions
        var (code, error, cell): ([UInt8], Float, Int) = ([], 0, cell)
        do throws(VectorError) {
            error = try training.codec.encode(
                floats.span.extracting(components),
                appendingTo: &code
            )
        } catch {
            // A vector of zeros has no direction.
            (code, cell) = (Array(floats[components]).storedBytes, options.centroidCount)
        }
        blocks[cell, default: SQLiteVectorBlock()].append(numbers[place], code, error: error)
        return error
    }
}

/// Codes of vectors that are to be moved into cells.
struct PlacedVectors: Sendable {
    let count: Int
    /// The greatest number of these vectors.
    fileprivate let last: Int64
    /// The errors of the codes, ascending.
    fileprivate let errors: [Float]
    /// The codes by cell, the cells ascending; no cell is empty.
    fileprivate let cells: [(cell: Int, codes: SQLiteVectorBlock)]
}

/// Moves new vectors into the cells of an epoch.
///
/// Theory of operation: vectors are read in the order of their numbers, many at a time, and grouped by cell. Those of a
/// cell fill its last block, and then new ones. So each block is written once per group, and the rows, which lose
/// their floats, once. Numbers are not used again, so the code of a vector that is removed in the meantime harms as
/// little as that of one that is removed later: it stays until `SQLiteVectorCleaning` removes it.
struct SQLiteVectorPlacing {
    private let table: String
    private let options: QueryVectorOptions
    private let state: SQLiteVectorIndex.State
    private let connection: StoreConnection

    init(
        _ table: String,
        _ options: QueryVectorOptions,
        _ state: SQLiteVectorIndex.State,
        on connection: StoreConnection
    ) {
        (self.table, self.options, self.state) = (table, options, state)
        self.connection = connection
    }

    // MARK: Reading

    /// Whether so few vectors are new that they may remain.
    func isDone(_ upkeep: VectorUpkeep) throws -> Bool {
        let limit = limit(upkeep)
        return try newCount(atMost: limit + 1) <= limit
    }

    /// The number of new vectors that may remain: none until some are in cells.
    private func limit(_ upkeep: VectorUpkeep) -> Int { state.placed == 0 ? 0 : upkeep.freshCount }

    /// The next vectors; `nil` if few are new, or more than may be moved now.
    ///
    /// `index` reads the epoch with its training.
    func vectors(
        _ upkeep: VectorUpkeep,
        of index: () throws -> SQLiteVectorIndex
    ) throws
        -> NewVectors?
    {
        let byCount = StorageLimits.placedVectorByteCount / (4 * options.dimensions)
        let most = min(max(1_024, byCount), SQLiteEngineLimits.placedVectorCount)
        let limit = limit(upkeep)
        let count = try newCount(atMost: max(most, limit, upkeep.vectorCount ?? 0) + 1)
        guard count > limit,
            upkeep.allows(count, times: options.placingProductCount)
        else { return nil }
        let index = try index()
        guard let training = index.training, count > 0 else { return nil }
        let rows = try index.newVectors(on: connection)
        defer { rows.reset() }
        var (numbers, floats): ([Int64], [Float]) = ([], [])
        floats.reserveCapacity(min(count, most) * options.dimensions)
        while numbers.count < most, try rows.step() {
            numbers.append(rows.integer(0))
            floats += rows.floats(2)
            guard floats.count == numbers.count * options.dimensions else {
                throw rows.corrupt("a vector in a vector index has the wrong length")
            }
        }
        return NewVectors(options: options, training: training, numbers: numbers, floats: floats)
    }

    /// The number of vectors that are in no cell; counted up to a limit.
    func newCount(atMost limit: Int) throws -> Int {
        let rows = try connection.functionStatement(
            "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE number > ?1 LIMIT ?2)"
        )
        defer { rows.reset() }
        try rows.bind(state.placed, at: 1)
        try rows.bind(Int64(limit), at: 2)
        return try rows.step() ? Int(clamping: rows.integer(0)) : 0
    }

    // MARK: Storing

    /// Stores codes in the cells of an epoch.
    func store(_ vectors: PlacedVectors, in epoch: SQLiteVectorIndex.Epoch) throws {
        let index = SQLiteVectorIndex(table, options, state)
        var state = state
        for (cell, codes) in vectors.cells {
            try store(codes, cell, of: index)
            state.codeCount += codes.numbers.count
        }
        // The floats of a lazy index are nowhere else.
        if !options.isLazy { try removeFloats(after: state.placed, through: vectors.last) }
        switch epoch {
        case .next:
            let bound = vectors.errors.dropLast(vectors.count / 100).last ?? 0
            state.errorBound = max(state.errorBound, bound)
        case .current:
            state.impreciseCount += vectors.errors.count { $0 > 2 * state.errorBound }
        }
        state.placed = vectors.last
        state.version += 1
        try state.store(as: epoch, in: table, on: connection)
    }

    private func store(
        _ codes: SQLiteVectorBlock,
        _ cell: Int,
        of index: SQLiteVectorIndex
    ) throws {
        let ids = index.blockIDs(of: cell)
        let codeByteCount = codes.codes.count / codes.numbers.count
        var (id, block) = try lastBlock(ids, codeByteCount) ?? (ids.lowerBound, .init())
        var start = 0
        while start < codes.numbers.count {
            let end = block.fill(from: codes, at: start, codeByteCount: codeByteCount)
            guard ids.contains(id) else {
                throw StoreError(.corrupt("a cell of a vector index has too many blocks"))
            }
            if end > start { try index.write(block, id, on: connection) }
            (start, id, block) = (end, id + 1, SQLiteVectorBlock())
        }
    }

    private func lastBlock(
        _ ids: ClosedRange<Int64>,
        _ codeByteCount: Int
    ) throws -> (id: Int64, SQLiteVectorBlock)? {
        let rows = try connection.functionStatement(
            """
            SELECT id, entries FROM \(table)_blocks WHERE id BETWEEN ?1 AND ?2
            ORDER BY id DESC LIMIT 1
            """
        )
        defer { rows.reset() }
        try rows.bind(ids, at: 1)
        guard try rows.step() else { return nil }
        return (rows.integer(0), try rows.vectorBlock(1, codeByteCount))
    }

    /// Writes the rows of vectors again, without floats.
    ///
    /// They are removed and inserted: SQLite does not merge the pages of rows that become shorter.
    private func removeFloats(after first: Int64, through last: Int64) throws {
        func statement(_ sql: String) throws -> StoreStatement {
            let statement = try connection.prepare(
                "\(sql) FROM \(table) WHERE number > ?1 AND number <= ?2"
            )
            try statement.bind(first, at: 1)
            try statement.bind(last, at: 2)
            return statement
        }
        let rows = try statement("SELECT number, owner, vector IS NOT NULL")
        var (owners, hasFloats): ([(number: Int64, owner: Int64)], Bool) = ([], false)
        while try rows.step() {
            owners.append((rows.integer(0), rows.integer(1)))
            hasFloats = hasFloats || rows.integer(2) != 0
        }
        guard hasFloats else { return }
        rows.reset()
        try statement("DELETE").run()
        let insert = try connection.prepare("INSERT INTO \(table) (number, owner) VALUES (?1, ?2)")
        for (number, owner) in owners {
            try insert.bind(number, at: 1)
            try insert.bind(owner, at: 2)
            try insert.run()
        }
    }
}
