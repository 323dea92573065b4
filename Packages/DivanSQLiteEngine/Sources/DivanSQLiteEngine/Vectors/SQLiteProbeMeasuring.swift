internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage
internal import DivanVectors

/// Counts the cells that a query must search to find 96 of 100 neighbours, with some vectors of the index as targets.
struct SQLiteProbeMeasuring {
    /// The neighbours of one vector.
    private struct Trial {
        let scanner: CodeScanner
        /// The position of each cell in the order of a search.
        let ranks: [Int]
        var nearest: NearestNeighbors
    }

    private static let targetCount = 64

    private let index: SQLiteVectorIndex
    private let connection: StoreConnection

    init(_ index: SQLiteVectorIndex, on connection: StoreConnection) {
        self.index = index
        self.connection = connection
    }

    private var codeCount: Int { index.state?.codeCount ?? 0 }

    /// A query of a small index searches all cells, and the index may say how many are searched.
    private var isNeeded: Bool {
        index.state?.isLarge == true && index.options.probeCount == 0
    }

    /// The numbers of cells for each of `neighborCounts`; none if they are not needed.
    func probeCounts() throws -> [Int] {
        guard isNeeded, let training = index.training else { return [] }
        let counts = SQLiteVectorIndex.State.neighborCounts
        var trials = try targets().map { target in
            var ranks = [Int](repeating: 0, count: training.centroids.count)
            for (rank, cell) in try index.cells(near: target, training).enumerated() {
                ranks[cell] = rank
            }
            return Trial(
                scanner: try training.codec.scanner(for: target.span),
                ranks: ranks,
                nearest: NearestNeighbors(limit: 1 + (counts.last ?? 0))
            )
        }
        let rows = try connection.prepare(
            "SELECT id, entries FROM \(index.table)_blocks WHERE id >= ?1 AND id < ?2"
        )
        try rows.bind(index.blockIDs(of: 0).lowerBound, at: 1)
        try rows.bind(index.blockIDs(of: index.unencodedCell).lowerBound, at: 2)
        while try rows.step() {
            let cell = SQLiteVectorBlock.cell(of: rows.integer(0))
            let block = try rows.vectorBlock(1, training.codec.codeByteCount)
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
        return probeCounts.count == counts.count ? probeCounts : []
    }

    private func targets() throws -> [[Float]] {
        let rows = try connection.prepare(
            """
            SELECT \(SQLiteVectorIndex.floats(of: index.table))
            FROM (SELECT owner, vector, row_number() OVER (ORDER BY number) AS place
                FROM \(index.table) WHERE number <= ?1) AS v WHERE place % ?2 = 0
            LIMIT \(2 * Self.targetCount)
            """
        )
        try rows.bind(index.state?.placed ?? 0, at: 1)
        try rows.bind(Int64(max(1, codeCount / Self.targetCount)), at: 2)
        var targets: [[Float]] = []
        while try rows.step() {
            let vector = rows.floats(0)
            // A vector of zeros has no neighbours by the cosine distance.
            let isTarget = index.options.metric != .cosine || vector.contains { $0 != 0 }
            guard vector.count == index.options.dimensions, isTarget else { continue }
            targets.append(vector)
        }
        return targets
    }
}
