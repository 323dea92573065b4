internal import DivanQuery
internal import DivanSQLite
internal import DivanVectors

/// Codes of vectors that are to be moved into cells.
struct PlacedVectors: Sendable {
    /// The greatest number of these vectors.
    let last: Int64
    /// The codes by cell, the cells ascending.
    let cells: [(cell: Int, codes: SQLiteVectorBlock)]
}

/// Moves new vectors into the cells of an epoch.
///
/// Theory of operation: vectors are read in the order of their numbers, many at a time, and grouped by cell. Those of a
/// cell fill its last block, and then new ones. So each block is written once per group, and the rows, which lose
/// their floats, once. Numbers are not used again, so the code of a vector that is removed in the meantime harms as
/// little as that of one that is removed later: it stays until `SQLiteVectorCleaning` removes it.
struct SQLiteVectorPlacing {
    private let index: SQLiteVectorIndex
    private let connection: StoreConnection
    private var table: String { index.table }

    init(_ index: SQLiteVectorIndex, on connection: StoreConnection) {
        self.index = index
        self.connection = connection
    }

    // MARK: Reading

    /// Whether so few vectors are new that they may remain.
    func isDone(_ upkeep: VectorUpkeep) throws -> Bool {
        let limit = limit(upkeep)
        return try newCount(atMost: limit + 1) <= limit
    }

    /// The number of new vectors that may remain: none until some are in cells.
    private func limit(_ upkeep: VectorUpkeep) -> Int {
        index.state?.placed == 0 ? 0 : upkeep.freshCount
    }

    /// The next vectors and their codes; `nil` if few are new, or more than may be moved now.
    func vectors(_ upkeep: VectorUpkeep) throws -> PlacedVectors? {
        guard let training = index.training, let state = index.state else { return nil }
        let dimensions = index.options.dimensions
        let most = max(1_024, StoreLimits.placedVectorByteCount / (4 * dimensions))
        let cost = dimensions * training.centroids.count
        let allowed = (upkeep.productCount ?? 0) / cost
        let limit = limit(upkeep)
        let count = try newCount(atMost: max(most, limit, allowed) + 1)
        guard count > limit, upkeep.allows(count, times: cost) else { return nil }
        let rows = try index.newVectors(on: connection)
        defer { rows.reset() }
        var (numbers, floats): ([Int64], [Float]) = ([], [])
        floats.reserveCapacity(min(count, most) * dimensions)
        while numbers.count < most, try rows.step() {
            numbers.append(rows.integer(0))
            floats += rows.floats(2)
            guard floats.count == numbers.count * dimensions else {
                throw rows.corrupt("a vector in a vector index has the wrong length")
            }
        }
        let cells = try encode(numbers, floats, training)
        return PlacedVectors(last: numbers.last ?? state.placed, cells: cells)
    }

    private func newCount(atMost limit: Int) throws -> Int {
        let placed = index.state?.placed ?? 0
        return try Self.newCount(in: table, after: placed, atMost: limit, on: connection)
    }

    /// The number of vectors with greater numbers; counted up to a limit.
    static func newCount(
        in table: String,
        after placed: Int64,
        atMost limit: Int,
        on connection: StoreConnection
    ) throws -> Int {
        let rows = try connection.functionStatement(
            "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE number > ?1 LIMIT ?2)"
        )
        defer { rows.reset() }
        try rows.bind(placed, at: 1)
        try rows.bind(Int64(limit), at: 2)
        return try rows.step() ? Int(clamping: rows.integer(0)) : 0
    }

    private func encode(
        _ numbers: [Int64],
        _ floats: [Float],
        _ training: SQLiteVectorIndex.Training
    ) throws -> [(cell: Int, codes: SQLiteVectorBlock)] {
        let dimensions = index.options.dimensions
        let directions = index.options.directions(of: floats)
        let cells = try training.centroids.nearest(to: directions.span).positions
        var blocks: [Int: SQLiteVectorBlock] = [:]
        for (place, number) in numbers.enumerated() {
            let components = place * dimensions..<(place + 1) * dimensions
            var (code, error, cell): ([UInt8], Float, Int) = ([], 0, Int(cells[place]))
            do throws(VectorError) {
                error = try training.codec.encode(
                    floats.span.extracting(components),
                    appendingTo: &code
                )
            } catch {
                // A vector of zeros has no direction.
                (code, cell) = (
                    Array(floats[components]).storedBytes, index.unencodedCell(training)
                )
            }
            blocks[cell, default: SQLiteVectorBlock()].append(number, code, error: error)
        }
        return blocks.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: Storing

    /// Stores codes in the cells of an epoch.
    func store(_ vectors: PlacedVectors, in epoch: SQLiteVectorIndex.Epoch) throws {
        guard let training = index.training, var state = index.state else { return }
        for (cell, codes) in vectors.cells {
            try store(codes, cell, index.codeByteCount(cell, training))
            state.codeCount += codes.numbers.count
        }
        // The floats of a lazy index are nowhere else.
        if !index.options.isLazy { try removeFloats(after: state.placed, through: vectors.last) }
        state.placed = vectors.last
        state.version += 1
        try state.store(as: epoch, in: table, on: connection)
    }

    private func store(_ codes: SQLiteVectorBlock, _ cell: Int, _ codeByteCount: Int) throws {
        let ids = index.blocks(of: cell)
        var (id, block) = try lastBlock(of: cell, codeByteCount) ?? (ids.lowerBound, .init())
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
        of cell: Int,
        _ codeByteCount: Int
    ) throws -> (id: Int64, SQLiteVectorBlock)? {
        let rows = try connection.functionStatement(
            """
            SELECT id, entries FROM \(table)_blocks WHERE id BETWEEN ?1 AND ?2
            ORDER BY id DESC LIMIT 1
            """
        )
        defer { rows.reset() }
        let ids = index.blocks(of: cell)
        try rows.bind(ids.lowerBound, at: 1)
        try rows.bind(ids.upperBound, at: 2)
        guard try rows.step() else { return nil }
        return (rows.integer(0), try rows.vectorBlock(1, codeByteCount))
    }

    /// Writes the rows of vectors again, without floats.
    ///
    /// They are removed and inserted: SQLite does not merge the pages of rows that become shorter.
    private func removeFloats(after first: Int64, through last: Int64) throws {
        let range = "FROM \(table) WHERE number > ?1 AND number <= ?2"
        func statement(_ sql: String) throws -> StoreStatement {
            let statement = try connection.prepare("\(sql) \(range)")
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
