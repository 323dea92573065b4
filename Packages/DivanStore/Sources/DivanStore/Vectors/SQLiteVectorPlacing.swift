internal import DivanQuery
internal import DivanSQLite
internal import DivanVectors

/// Moves new vectors into the cells of a trained index.
///
/// Theory of operation: vectors are read in the order of their numbers, many at a time, and grouped by cell. Those of a
/// cell fill its last block, and then new ones. So each block is written once per group, and the rows, which lose
/// their floats, once. Codes of removed vectors stay until they are a ninth of all codes.
struct SQLiteVectorPlacing {
    private let index: SQLiteVectorIndex
    private let training: SQLiteVectorIndex.Training
    private let connection: StoreConnection
    private var state: SQLiteVectorIndex.State
    private let before: SQLiteVectorIndex.State
    private var table: String { index.table }

    init(
        _ index: SQLiteVectorIndex,
        _ training: SQLiteVectorIndex.Training,
        _ state: SQLiteVectorIndex.State,
        on connection: StoreConnection
    ) {
        self.index = index
        self.training = training
        self.state = state
        before = state
        self.connection = connection
    }

    /// A vector in its new cell.
    private struct Placed {
        let number: Int64
        let owner: Int64
        let cell: Int
        let code: [UInt8]
        let error: Float
        /// Kept if no document has it.
        let floats: [UInt8]?
    }

    // MARK: Placing

    mutating func run() throws {
        let count = max(1_024, StoreLimits.placedVectorByteCount / (4 * index.options.dimensions))
        while try place(atMost: count) {}
        let liveCount = Int(clamping: try connection.integer("SELECT count(*) FROM \(table)") ?? 0)
        if state.codeCount - liveCount > max(64, liveCount / 8) { try removeDead() }
    }

    mutating func finish() throws {
        guard state != before else { return }
        state.version += 1
        try state.store(in: table, on: connection)
    }

    /// Places the next vectors; returns whether there may be more.
    private mutating func place(atMost count: Int) throws -> Bool {
        let rows = try connection.prepare(
            """
            SELECT number, owner, \(SQLiteVectorIndex.floats(of: table)) FROM \(table) AS v
            WHERE number > ?1 ORDER BY number LIMIT ?2
            """
        )
        try rows.bind(state.placed, at: 1)
        try rows.bind(Int64(count), at: 2)
        var (numbers, owners, floats): ([Int64], [Int64], [Float]) = ([], [], [])
        while try rows.step() {
            numbers.append(rows.integer(0))
            owners.append(rows.integer(1))
            floats += rows.floats(2)
            guard floats.count == numbers.count * index.options.dimensions else {
                throw rows.corrupt("a vector in a vector index has the wrong length")
            }
        }
        rows.reset()
        guard let last = numbers.last else { return false }
        let placed = try encode(numbers, owners, floats)
        try write(placed.sorted { ($0.cell, $0.number) < ($1.cell, $1.number) })
        let remove = try connection.prepare(
            "DELETE FROM \(table) WHERE number > ?1 AND number <= ?2"
        )
        try remove.bind(state.placed, at: 1)
        try remove.bind(last, at: 2)
        try remove.run()
        let insert = try connection.prepare(
            "INSERT INTO \(table) (number, owner, cell, vector) VALUES (?1, ?2, ?3, ?4)"
        )
        for vector in placed {
            try insert.bind(vector.number, at: 1)
            try insert.bind(vector.owner, at: 2)
            try insert.bind(Int64(vector.cell), at: 3)
            if let floats = vector.floats {
                try insert.bind(floats, at: 4)
            } else {
                try insert.bind(Int64?.none, at: 4)
            }
            try insert.run()
        }
        state.placed = last
        return numbers.count == count
    }

    private func encode(
        _ numbers: [Int64],
        _ owners: [Int64],
        _ floats: [Float]
    ) throws -> [Placed] {
        let dimensions = index.options.dimensions
        let directions = index.directions(of: floats)
        let cells = try training.centroids.nearest(to: directions.span).positions
        return numbers.indices.map { place in
            let vector = floats.span.extracting(place * dimensions..<(place + 1) * dimensions)
            let stored = {
                Array(floats[place * dimensions..<(place + 1) * dimensions]).storedBytes
            }
            var (code, error, cell): ([UInt8], Float, Int) = ([], 0, Int(cells[place]))
            do throws(VectorError) {
                error = try training.codec.encode(vector, appendingTo: &code)
            } catch {
                // A vector of zeros has no direction.
                (code, cell) = (stored(), index.unencodedCell(training))
            }
            return Placed(
                number: numbers[place],
                owner: owners[place],
                cell: cell,
                code: code,
                error: error,
                floats: index.options.isLazy ? stored() : nil
            )
        }
    }

    private func codeByteCount(_ cell: Int) -> Int {
        cell == index.unencodedCell(training)
            ? 4 * index.options.dimensions : training.codec.codeByteCount
    }

    // MARK: Blocks

    /// Adds codes, sorted by cell, to the blocks.
    private mutating func write(_ placed: [Placed]) throws {
        var start = 0
        while start < placed.count {
            let cell = placed[start].cell
            let end = placed[start...].firstIndex { $0.cell != cell } ?? placed.count
            try write(placed[start..<end], to: cell)
            start = end
        }
    }

    private mutating func write(_ placed: ArraySlice<Placed>, to cell: Int) throws {
        let size = codeByteCount(cell)
        let capacity = SQLiteVectorBlock.capacity(codeByteCount: size)
        var (id, block) = try lastBlock(of: cell)
        var rest = placed
        while !rest.isEmpty {
            let room = max(0, capacity - block.numbers.count)
            for vector in rest.prefix(room) {
                block.append(vector.number, vector.code, error: vector.error)
            }
            guard SQLiteVectorBlock.ids(of: cell).contains(id) else {
                throw StoreError(.corrupt("a cell of a vector index has too many blocks"))
            }
            if room > 0 { try write(block, id) }
            rest = rest.dropFirst(room)
            (id, block) = (id + 1, SQLiteVectorBlock())
        }
        state.codeCount += placed.count
    }

    /// The last block of a cell; an empty one if there is none.
    private func lastBlock(of cell: Int) throws -> (id: Int64, SQLiteVectorBlock) {
        let rows = try blocks(of: cell, "ORDER BY id DESC LIMIT 1")
        defer { rows.reset() }
        guard try rows.step() else {
            return (SQLiteVectorBlock.ids(of: cell).lowerBound, SQLiteVectorBlock())
        }
        return (rows.integer(0), try block(rows, of: cell))
    }

    /// Reads the IDs and entries of the blocks of a cell.
    private func blocks(of cell: Int, _ order: String) throws(StoreError) -> StoreStatement {
        let ids = SQLiteVectorBlock.ids(of: cell)
        let rows = try connection.functionStatement(
            "SELECT id, entries FROM \(table)_blocks WHERE id BETWEEN ?1 AND ?2 \(order)"
        )
        try rows.bind(ids.lowerBound, at: 1)
        try rows.bind(ids.upperBound, at: 2)
        return rows
    }

    private func block(
        _ rows: StoreStatement,
        of cell: Int
    ) throws(StoreError) -> SQLiteVectorBlock {
        let size = codeByteCount(cell)
        let block = rows.withBytes(1) { SQLiteVectorBlock($0, codeByteCount: size) }
        guard let block else {
            throw rows.corrupt("a block of a vector index has the wrong length")
        }
        return block
    }

    private func write(_ block: SQLiteVectorBlock, _ id: Int64) throws {
        let write = try connection.functionStatement(
            "INSERT OR REPLACE INTO \(table)_blocks (id, entries) VALUES (?1, ?2)"
        )
        try write.bind(id, at: 1)
        try write.bind(block.bytes, at: 2)
        try write.run()
    }

    // MARK: Removed vectors

    /// Writes each cell with removed vectors again, in full blocks.
    private mutating func removeDead() throws {
        let live = try connection.prepare("SELECT 1 FROM \(table) WHERE number = ?1 AND cell = ?2")
        let remove = try connection.prepare(
            "DELETE FROM \(table)_blocks WHERE id BETWEEN ?1 AND ?2"
        )
        for cell in 0...index.unencodedCell(training) {
            try live.bind(Int64(cell), at: 2)
            let (blocks, deadCount) = try liveBlocks(of: cell) { number in
                try live.bind(number, at: 1)
                defer { live.reset() }
                return try live.step()
            }
            guard deadCount > 0 else { continue }
            let ids = SQLiteVectorBlock.ids(of: cell)
            try remove.bind(ids.lowerBound, at: 1)
            try remove.bind(ids.upperBound, at: 2)
            try remove.run()
            for (number, block) in blocks.enumerated() {
                try write(block, ids.lowerBound + Int64(number))
            }
            state.codeCount = max(0, state.codeCount - deadCount)
        }
    }

    /// The codes of a cell for which `isLive` is true, in full blocks, and the number of others.
    private func liveBlocks(
        of cell: Int,
        where isLive: (Int64) throws -> Bool
    ) throws -> ([SQLiteVectorBlock], deadCount: Int) {
        let size = codeByteCount(cell)
        let capacity = SQLiteVectorBlock.capacity(codeByteCount: size)
        var (blocks, block, deadCount) = ([SQLiteVectorBlock](), SQLiteVectorBlock(), 0)
        let rows = try self.blocks(of: cell, "ORDER BY id")
        defer { rows.reset() }
        while try rows.step() {
            let old = try self.block(rows, of: cell)
            for (place, number) in old.numbers.enumerated() {
                guard try isLive(number) else {
                    deadCount += 1
                    continue
                }
                let code = old.codes[place * size..<(place + 1) * size]
                block.append(number, code, error: old.error)
                guard block.numbers.count == capacity else { continue }
                blocks.append(block)
                block = SQLiteVectorBlock()
            }
        }
        return (block.numbers.isEmpty ? blocks : blocks + [block], deadCount)
    }

    // MARK: Recall

    /// The neighbours of one vector in the index that is measured.
    private struct Trial {
        let scanner: CodeScanner
        /// The position of each cell in the order of a search.
        let ranks: [Int]
        var nearest: NearestNeighbors
    }

    /// Counts the cells that a query must search to find 96 of 100 neighbours, with some vectors of the index as targets,
    /// once the index is so large that a query searches only some cells.
    mutating func measureProbes() throws {
        guard state.codeCount > StoreLimits.fullySearchedVectorCount, state.probeCounts.isEmpty,
            index.options.probeCount == 0
        else { return }
        let counts = SQLiteVectorIndex.State.neighborCounts
        var trials = try trialVectors().map { vector in
            var ranks = [Int](repeating: 0, count: training.centroids.count)
            for (rank, cell) in try index.cells(near: vector, training).enumerated() {
                ranks[cell] = rank
            }
            return Trial(
                scanner: try training.codec.scanner(for: vector.span),
                ranks: ranks,
                nearest: NearestNeighbors(limit: 1 + (counts.last ?? 0))
            )
        }
        let rows = try connection.prepare(
            "SELECT id, entries FROM \(table)_blocks WHERE id >= 0 AND id < ?1"
        )
        try rows.bind(SQLiteVectorBlock.ids(of: index.unencodedCell(training)).lowerBound, at: 1)
        while try rows.step() {
            let cell = SQLiteVectorBlock.cell(of: rows.integer(0))
            let block = try self.block(rows, of: cell)
            var distances = [Float](repeating: 0, count: block.numbers.count)
            for number in trials.indices {
                try trials[number].scanner.distances(
                    to: block.codes.span.bytes,
                    into: distances.mutableSpan
                )
                for distance in distances {
                    trials[number].nearest.insert(Int64(cell), at: distance)
                }
            }
        }
        let neighbors = trials.map { trial in
            // The nearest one is the vector itself.
            trial.nearest.sorted.dropFirst().map { trial.ranks[Int($0.id)] }
        }
        let probeCounts = counts.compactMap { count in
            let ranks = neighbors.flatMap { $0.prefix(count) }.sorted()
            return ranks.isEmpty ? nil : ranks[min(ranks.count - 1, ranks.count * 96 / 100)] + 1
        }
        state.probeCounts = probeCounts.count == counts.count ? probeCounts : []
    }

    private func trialVectors() throws -> [[Float]] {
        let rows = try connection.prepare(
            """
            SELECT \(SQLiteVectorIndex.floats(of: table))
            FROM (SELECT owner, vector, row_number() OVER (ORDER BY number) AS place FROM \(table)
                WHERE cell <> ?1) AS v WHERE place % (?2 / 64) = 0
            """
        )
        try rows.bind(Int64(index.unencodedCell(training)), at: 1)
        try rows.bind(Int64(max(64, state.codeCount)), at: 2)
        var vectors: [[Float]] = []
        while try rows.step() {
            let vector = rows.floats(0)
            guard vector.count == index.options.dimensions else { continue }
            vectors.append(vector)
        }
        return vectors
    }
}
