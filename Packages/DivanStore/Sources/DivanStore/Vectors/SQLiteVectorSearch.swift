internal import DivanQuery
internal import DivanSQLite
internal import DivanVectors

/// A search for the vectors that are nearest to a target.
///
/// Theory of operation: the search reads the new vectors and the codes of the nearest cells, and estimates the distance
/// of each. Each estimate has bounds (`EstimateBounds`). A vector is a candidate unless as many others as are wanted are
/// nearer for certain, so the exact distances of the candidates, which the query computes, decide. With all cells,
/// the result is exact. Otherwise the number of candidates has a limit, too: it matters for codes with wide bounds.
/// With a filter, only documents that meet its conditions become candidates.
struct SQLiteVectorSearch {
    private struct Candidate {
        let owner: Int64
        let estimate: Float
        let greatestEstimate: (Float) -> Float
    }

    /// A codec, and what it prepared for the target.
    private struct Scan {
        let scanner: CodeScanner
        let codeByteCount: Int

        init(_ codec: VectorCodec, _ target: [Float]) throws(VectorError) {
            scanner = try codec.scanner(for: target.span)
            codeByteCount = codec.codeByteCount
        }
    }

    /// The statements that read blocks.
    private struct Blocks {
        private let entries: StoreStatement
        private let owner: StoreStatement
        /// Names the contents of all blocks.
        let version: String

        init(
            _ table: String,
            _ state: SQLiteVectorIndex.State?,
            _ connection: StoreConnection
        ) throws(StoreError) {
            version = "\(state?.identity ?? "") \(state?.version ?? 0)"
            entries = try connection.functionStatement(
                "SELECT entries FROM \(table)_blocks WHERE id BETWEEN ?1 AND ?2"
            )
            owner = try connection.functionStatement(
                "SELECT owner FROM \(table) WHERE number = ?1"
            )
        }

        func rows(of cell: Int) throws(StoreError) -> StoreStatement {
            let ids = SQLiteVectorBlock.ids(of: cell)
            entries.reset()
            try entries.bind(ids.lowerBound, at: 1)
            try entries.bind(ids.upperBound, at: 2)
            return entries
        }

        /// The document of a vector; `nil` if it was removed.
        func owner(of number: Int64) throws(StoreError) -> Int64? {
            try owner.bind(number, at: 1)
            defer { owner.reset() }
            return try owner.step() ? owner.integer(0) : nil
        }
    }

    private let index: SQLiteVectorIndex
    private let connection: StoreConnection
    private let target: [Float]
    private let wanted: Int
    private let isExact: Bool
    private let filter: SQLiteVectorFilter?

    private var candidates: [Candidate] = []
    /// The wanted number of vectors that are nearest for certain, by their greatest possible distances.
    private var nearest: NearestNeighbors
    /// The best estimates, whose number is limited; `nil` if the result must be exact.
    private var best: NearestNeighbors?
    private var distances: [Float] = []

    /// - Parameters:
    ///   - index: The index.
    ///   - target: The vector from which distances are measured.
    ///   - wanted: The number of documents that the query returns.
    ///   - isExact: Whether all cells are searched.
    ///   - filter: The conditions that the documents must meet, if any.
    ///   - connection: Where the index was read.
    init(
        _ index: SQLiteVectorIndex,
        near target: [Float],
        wanted: Int,
        isExact: Bool,
        filter: SQLiteVectorFilter?,
        on connection: StoreConnection
    ) {
        self.index = index
        self.connection = connection
        self.isExact = isExact
        self.filter = filter
        self.target = target
        self.wanted = wanted
        nearest = NearestNeighbors(limit: wanted)
        // Computing the distances of all documents that meet the conditions would be exact, too.
        let isSmall = (index.state?.codeCount ?? 0) <= StoreLimits.fullySearchedVectorCount
        best =
            isExact || (filter != nil && isSmall)
            ? nil : NearestNeighbors(limit: index.options.candidateCount(for: wanted))
    }

    /// Returns the sequences of the documents that may be the nearest ones.
    ///
    /// - Parameter probes: The number of cells to search; the default of the index if it is not positive.
    /// - Returns: The sequences, the best estimate first.
    /// - Throws: `StoreError`; `VectorError` if the target has other dimensions or is not finite.
    mutating func run(probes: Int) throws -> [Int64] {
        guard wanted > 0 else { return [] }
        let floats = try Scan(try index.floats, target)
        try scanNewVectors(floats)
        if let training = index.training {
            let blocks = try Blocks(index.table, index.state, connection)
            try scan(index.unencodedCell(training), of: blocks, floats)
            try scanCells(training, of: blocks, probes: probes)
        }
        let bound = nearest.bound
        var owners: Set<Int64> = []
        return candidates.filter { $0.estimate <= min($0.greatestEstimate(bound), limit) }
            .sorted { $0.estimate < $1.estimate }
            .map(\.owner)
            // Twice only in a damaged file.
            .filter { owners.insert($0).inserted }
    }

    /// The greatest estimate of a candidate, whatever its bounds.
    private var limit: Float { best?.bound ?? .infinity }

    private mutating func scanCells(
        _ training: SQLiteVectorIndex.Training,
        of blocks: Blocks,
        probes: Int
    ) throws {
        let scan = try Scan(training.codec, target)
        guard best != nil else {
            // Near ones first, so that few of the others are candidates.
            for cell in try index.cells(near: target, training) {
                try self.scan(cell, of: blocks, scan)
            }
            return
        }
        let chosen = probes > 0 ? probes : index.options.probeCount
        func enough() -> Int { chosen > 0 ? chosen : defaultProbeCount }
        // Most searches without a filter end in the first cells.
        let first = filter == nil ? enough() : nil
        var searched = 0
        for cell in try index.cells(near: target, training, limit: first) {
            if searched >= enough(), nearest.count >= wanted { return }
            try self.scan(cell, of: blocks, scan)
            searched += 1
        }
        // As many documents are found as there are, unless the query says how many cells are searched.
        guard let first, chosen == 0, nearest.count < wanted else { return }
        for cell in try index.cells(near: target, training).dropFirst(first) {
            try self.scan(cell, of: blocks, scan)
            if nearest.count >= wanted { return }
        }
    }

    /// The number of cells in which enough of the nearest vectors are, as far as the filter is known.
    private var defaultProbeCount: Int {
        let all = index.options.centroidCount
        guard let state = index.state, state.codeCount > StoreLimits.fullySearchedVectorCount else {
            return all
        }
        var neighborCount = Double(wanted)
        if let filter, filter.testedCount > 0 {
            neighborCount *= Double(filter.testedCount) / Double(max(1, filter.metCount))
        }
        return state.probeCount(for: neighborCount, of: all)
    }

    // MARK: Scanning

    private mutating func scanNewVectors(_ scan: Scan) throws {
        let rows = try index.newVectors(on: connection)
        defer { rows.reset() }
        let batchCount = 64
        var (owners, floats) = ([Int64](), [UInt8]())
        floats.reserveCapacity(batchCount * scan.codeByteCount)
        var hasMore = true
        while hasMore {
            owners.removeAll(keepingCapacity: true)
            floats.removeAll(keepingCapacity: true)
            while owners.count < batchCount {
                hasMore = try rows.step()
                guard hasMore else { break }
                owners.append(rows.integer(1))
                rows.withBytes(2) { floats.append(contentsOf: $0) }
                guard floats.count == owners.count * scan.codeByteCount else {
                    throw rows.corrupt("a vector in a vector index has the wrong length")
                }
            }
            try estimate(floats.span.bytes, owners.count, scan)
            try add(owners.count, scan, error: 0) { owners[$0] }
        }
    }

    private mutating func scan(_ cell: Int, of blocks: Blocks, _ scan: Scan) throws {
        if let cells = connection.client.cells,
            let kept = try kept(cell, of: blocks, scan.codeByteCount, cells)
        {
            try estimate(kept.codes.span.bytes, kept.numbers.count, scan)
            return try add(kept.numbers.count, scan, error: kept.error) { place in
                try blocks.owner(of: kept.numbers[place])
            }
        }
        let rows = try blocks.rows(of: cell)
        defer { rows.reset() }
        while try rows.step() {
            try rows.withBytes(0) { bytes in
                let count = try Self.count(bytes, scan.codeByteCount, rows)
                let codes = bytes.span.bytes.extracting(SQLiteVectorBlock.codes(count)...)
                try estimate(codes, count, scan)
                try add(count, scan, error: SQLiteVectorBlock.error(bytes)) { place in
                    try blocks.owner(of: SQLiteVectorBlock.number(place, bytes))
                }
            }
        }
    }

    /// All codes of a cell, which are kept for other searches; `nil` if they must be read block by block.
    private func kept(
        _ cell: Int,
        of blocks: Blocks,
        _ codeByteCount: Int,
        _ cells: VectorCellCache
    ) throws -> VectorCell? {
        let (table, version) = (index.table, blocks.version)
        if let kept = cells.cell(cell, of: table, at: version) { return kept }
        // As large as a cell is on average, unless the file says nonsense.
        let mean = (index.state?.codeCount ?? 0) / max(1, index.options.centroidCount)
        let count = min(mean, StoreLimits.vectorCellCacheByteCount / codeByteCount)
        let byteCount = count * (codeByteCount + SQLiteVectorBlock.numberByteCount)
        // An exact search reads all cells once.
        guard !isExact, cells.hasRoom(for: byteCount, of: table, at: version) else { return nil }
        var read = VectorCell()
        read.numbers.reserveCapacity(count)
        read.codes.reserveCapacity(count * codeByteCount)
        let rows = try blocks.rows(of: cell)
        defer { rows.reset() }
        while try rows.step() {
            try rows.withBytes(0) { bytes in
                let count = try Self.count(bytes, codeByteCount, rows)
                for place in 0..<count {
                    read.numbers.append(SQLiteVectorBlock.number(place, bytes))
                }
                read.codes.append(contentsOf: bytes[SQLiteVectorBlock.codes(count)...])
                read.error = max(read.error, SQLiteVectorBlock.error(bytes))
            }
        }
        cells.keep(read, cell, of: table, at: version)
        return read
    }

    private static func count(
        _ block: UnsafeBufferPointer<UInt8>,
        _ codeByteCount: Int,
        _ rows: StoreStatement
    ) throws(StoreError) -> Int {
        guard let count = SQLiteVectorBlock.count(block.count, codeByteCount: codeByteCount) else {
            throw rows.corrupt("a block of a vector index has the wrong length")
        }
        return count
    }

    private mutating func estimate(_ codes: RawSpan, _ count: Int, _ scan: Scan) throws {
        if distances.count != count { distances = [Float](repeating: 0, count: count) }
        try scan.scanner.distances(to: codes, into: distances.mutableSpan)
    }

    /// Adds those of the estimated vectors that may be among the nearest, the best estimate first.
    private mutating func add(
        _ count: Int,
        _ scan: Scan,
        error: Float,
        owner: (Int) throws -> Int64?
    ) throws {
        let bounds = scan.scanner.bounds
        func greatestEstimate(_ distance: Float) -> Float {
            bounds.greatestEstimate(within: distance, error: error)
        }
        var greatest = min(greatestEstimate(nearest.bound), limit)
        let places = (0..<count).filter { distances[$0] <= greatest }
        for place in places.sorted(by: { distances[$0] < distances[$1] }) {
            let estimate = distances[place]
            guard estimate <= greatest else { return }
            guard let owner = try owner(place), try isWanted(owner) else { continue }
            candidates.append(
                Candidate(owner: owner, estimate: estimate, greatestEstimate: greatestEstimate)
            )
            best?.insert(owner, at: estimate)
            nearest.insert(owner, at: bounds.greatestDistance(of: estimate, error: error))
            greatest = min(greatestEstimate(nearest.bound), limit)
        }
    }

    private func isWanted(_ owner: Int64) throws -> Bool {
        guard let filter else { return true }
        return try filter.isMet(by: owner)
    }
}
