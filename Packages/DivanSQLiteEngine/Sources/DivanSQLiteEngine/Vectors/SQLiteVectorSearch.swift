internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage
internal import DivanVectors

/// A search for the vectors that are nearest to a target.
///
/// Theory of operation: the search reads the new vectors and the codes of the nearest cells, and estimates the distance
/// of each. Each estimate has bounds (`EstimateBounds`). A vector is a candidate unless as many others as are wanted are
/// nearer according to these bounds. The exact distances of the candidates, which the query computes, decide.
///
/// An exact search reads all cells and misses no neighbour. Other searches limit the number of candidates, and assume
/// that the errors of codes of 8 bits have random directions: their bounds are four standard deviations.
///
/// With a filter, only documents that meet its conditions become candidates. Several cells are estimated at a time, and
/// then the least estimates are looked at first, so that few documents are looked up or tested in vain.
struct SQLiteVectorSearch {
    private struct Candidate {
        let owner: Int64
        let estimate: Float
        let error: Float
        let bounds: EstimateBounds
    }

    /// A codec, and what it prepared for the target.
    private struct Scan {
        let scanner: CodeScanner
        let bounds: EstimateBounds
        let codeByteCount: Int

        init(_ codec: VectorCodec, _ target: [Float]) throws(VectorError) {
            scanner = try codec.scanner(for: target.span)
            bounds = scanner.bounds
            codeByteCount = codec.codeByteCount
        }
    }

    /// The statements that read blocks.
    private struct Blocks {
        private let index: SQLiteVectorIndex
        private let entries: StoreStatement
        private let owner: StoreStatement
        /// Names the contents of all blocks.
        let version: String

        init(_ index: SQLiteVectorIndex, _ connection: StoreConnection) throws(StoreError) {
            self.index = index
            version = index.state?.contents ?? ""
            entries = try connection.functionStatement(
                "SELECT entries FROM \(index.table)_blocks WHERE id BETWEEN ?1 AND ?2"
            )
            owner = try connection.functionStatement(
                "SELECT owner FROM \(index.table) WHERE number = ?1"
            )
        }

        func rows(of cell: Int) throws(StoreError) -> StoreStatement {
            let ids = index.blockIDs(of: cell)
            entries.reset()
            try entries.bind(ids, at: 1)
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
    /// The share of a code's error by which its estimate can be wrong.
    private let errorShare: Float
    private let filter: SQLiteVectorFilter?

    private var candidates: [Candidate] = []
    /// The wanted number of vectors that are nearest according to the bounds, by their greatest distances.
    private var nearest: NearestNeighbors
    /// The best estimates, whose number is limited; `nil` if the result must be exact.
    private var best: NearestNeighbors?
    private var distances: [Float] = []
    /// The estimates among which candidates were not chosen yet.
    private var estimates: [VectorEstimates.Estimate] = []
    /// The number of codes that were looked up, and of those whose vectors were removed.
    private var (lookupCount, removedCount) = (0, 0)

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
        best =
            index.missesNone(isExact: isExact, hasFilter: filter != nil)
            ? nil : NearestNeighbors(limit: index.options.candidateCount(for: wanted))
        // Coarser codes may have few dimensions with errors, whose directions are not random.
        let isRandom = best != nil && index.options.encoding == .scalar(bits: 8)
        errorShare = isRandom ? min(1, 4 / Float(index.options.dimensions).squareRoot()) : 1
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
            let blocks = try Blocks(index, connection)
            try search([index.unencodedCell], of: blocks, floats)
            try searchCells(training, of: blocks, probes: probes)
            if removedCount > max(4, lookupCount / 4) {
                connection.client.cells?.noteRemoved(index.table, at: blocks.version)
            }
        }
        let bound = nearest.bound
        var owners: Set<Int64> = []
        return candidates.filter {
            $0.estimate <= min($0.bounds.greatestEstimate(within: bound, error: $0.error), limit)
        }
        .sorted { $0.estimate < $1.estimate }
        .map(\.owner)
        // Twice only in a damaged file.
        .filter { owners.insert($0).inserted }
    }

    /// The greatest estimate of a candidate, whatever its bounds.
    private var limit: Float { best?.bound ?? .infinity }

    // MARK: Cells

    /// Cells whose vectors are estimated at a time.
    private static let batchCount = 16
    /// Estimates that are noted at a time: cells may have very different sizes.
    private static let estimateCount = 65_536

    private mutating func searchCells(
        _ training: SQLiteVectorIndex.Training,
        of blocks: Blocks,
        probes: Int
    ) throws {
        let scan = try Scan(training.codec, target)
        let chosen = probes > 0 ? probes : index.options.probeCount
        // Most searches without a filter end in these cells.
        let first = best == nil ? nil : chosen > 0 ? chosen : defaultProbeCount
        var (cells, searched) = (try index.cells(near: target, training, limit: first), 0)
        while searched < training.cellCount {
            let count = moreCells(after: searched, chosen)
            guard count > 0 else { return }
            if searched + count > cells.count, cells.count < training.cellCount {
                cells = try index.cells(near: target, training)
            }
            let batch = cells[searched..<min(searched + count, cells.count)]
            try search(batch, of: blocks, scan)
            searched += batch.count
        }
    }

    /// The number of cells that are searched next.
    private func moreCells(after searched: Int, _ chosen: Int) -> Int {
        // The nearest cell alone usually gives a bound that most estimates of other cells are beyond.
        if searched == 0, filter == nil { return 1 }
        if best == nil { return Self.batchCount }
        let needed = chosen > 0 ? chosen : defaultProbeCount
        if needed > searched { return min(needed - searched, Self.batchCount) }
        // A search without a filter ends after the number of cells that the query or the index sets. Others find as
        // many documents as there are.
        let isOpen = nearest.count < wanted && (chosen == 0 || filter != nil)
        return isOpen ? Self.batchCount : 0
    }

    /// The number of cells in which enough of the nearest vectors are, as far as the filter is known.
    private var defaultProbeCount: Int {
        var neighborCount = Double(wanted)
        if let filter, filter.testedCount > 0 {
            neighborCount *= Double(filter.testedCount) / Double(max(1, filter.metCount))
        }
        return index.probeCount(for: neighborCount)
    }

    // MARK: Estimates

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
            try estimate(floats.span.bytes, owners.count, scan, error: 0) { owners[$0] }
            try choose(scan) { $0 }
        }
    }

    private mutating func search(
        _ cells: some Collection<Int>,
        of blocks: Blocks,
        _ scan: Scan
    ) throws {
        for cell in cells {
            try estimate(cell, of: blocks, scan)
            if estimates.count > Self.estimateCount { try choose(scan, of: blocks) }
        }
        try choose(scan, of: blocks)
    }

    private mutating func choose(_ scan: Scan, of blocks: Blocks) throws {
        try choose(scan) { try blocks.owner(of: $0) }
    }

    private mutating func estimate(_ cell: Int, of blocks: Blocks, _ scan: Scan) throws {
        if let cells = connection.client.cells,
            let kept = try kept(cell, of: blocks, scan.codeByteCount, cells)
        {
            let (codes, count) = (kept.codes.span.bytes, kept.numbers.count)
            return try estimate(codes, count, scan, error: kept.error) { kept.numbers[$0] }
        }
        let rows = try blocks.rows(of: cell)
        defer { rows.reset() }
        while try rows.step() {
            try rows.withBytes(0) { bytes in
                let count = try Self.count(bytes, scan.codeByteCount, rows)
                let codes = bytes.span.bytes.extracting(SQLiteVectorBlock.codes(count)...)
                try estimate(codes, count, scan, error: SQLiteVectorBlock.error(bytes)) {
                    SQLiteVectorBlock.number($0, bytes)
                }
            }
            if estimates.count > Self.estimateCount { try choose(scan, of: blocks) }
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
        let count = min(mean, SQLiteEngineLimits.vectorCellCacheByteCount / codeByteCount)
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
            // It is much larger than the mean, and would not be kept.
            guard read.codes.count <= cells.cellByteCount else { return nil }
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

    /// Estimates the distances of some vectors, and notes those that may be among the nearest.
    private mutating func estimate(
        _ codes: RawSpan,
        _ count: Int,
        _ scan: Scan,
        error: Float,
        id: (Int) -> Int64
    ) throws(VectorError) {
        let error = error * errorShare
        if distances.count != count { distances = [Float](repeating: 0, count: count) }
        try scan.scanner.distances(to: codes, into: distances.mutableSpan)
        let greatest = greatestEstimate(scan, error)
        for place in 0..<count where distances[place] <= greatest {
            estimates.append(.init(distance: distances[place], error: error, id: id(place)))
        }
    }

    private func greatestEstimate(_ scan: Scan, _ error: Float) -> Float {
        let greatest = scan.bounds.greatestEstimate(within: nearest.bound, error: error)
        // Infinite products and errors may give no number.
        return greatest.isNaN ? limit : min(greatest, limit)
    }

    /// Chooses candidates among the noted vectors, the least estimate first.
    private mutating func choose(_ scan: Scan, owner: (Int64) throws -> Int64?) throws {
        let greatestError = estimates.reduce(0) { max($0, $1.error) }
        var noted: [VectorEstimates.Estimate] = []
        swap(&noted, &estimates)
        var least = VectorEstimates(consume noted)
        while let estimate = least.removeLeast(),
            estimate.distance <= greatestEstimate(scan, greatestError)
        {
            lookupCount += 1
            guard let owner = try owner(estimate.id) else {
                removedCount += 1
                continue
            }
            guard try filter?.isMet(by: owner) ?? true else { continue }
            candidates.append(
                Candidate(
                    owner: owner,
                    estimate: estimate.distance,
                    error: estimate.error,
                    bounds: scan.bounds
                )
            )
            best?.insert(owner, at: estimate.distance)
            let (distance, error) = (estimate.distance, estimate.error)
            nearest.insert(owner, at: scan.bounds.greatestDistance(of: distance, error: error))
        }
    }
}
