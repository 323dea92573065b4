internal import DivanQuery
internal import DivanSQLite
internal import DivanVectors

/// Checks that the codes of a vector index are those of its vectors.
struct SQLiteVectorCheck {
    private let index: SQLiteVectorIndex
    private let connection: StoreConnection
    private var table: String { index.table }

    init(_ index: SQLiteVectorIndex, on connection: StoreConnection) {
        self.index = index
        self.connection = connection
    }

    /// Whether each vector that is not new has one code in the blocks of the nearest cell, and new vectors have none.
    func isPlaced() throws -> Bool {
        guard let training = index.training, let state = index.state else {
            return try connection.integer(
                "SELECT EXISTS (SELECT 1 FROM \(table) WHERE cell NOT NULL)"
                    + " OR EXISTS (SELECT 1 FROM \(table)_blocks)"
            ) == 0
        }
        let strays = try connection.prepare(
            "SELECT 1 FROM \(table) WHERE (cell IS NULL) <> (number > ?1) LIMIT 1"
        )
        try strays.bind(state.placed, at: 1)
        guard try !strays.step() else { return false }
        strays.reset()
        let blocks = try connection.prepare("SELECT id, entries FROM \(table)_blocks ORDER BY id")
        let vector = try connection.prepare(
            """
            SELECT \(SQLiteVectorIndex.floats(of: table)) FROM \(table) AS v
            WHERE number = ?1 AND cell = ?2
            """
        )
        var (seen, codeCount): (Set<Int64>, Int) = ([], 0)
        while try blocks.step() {
            let cell = SQLiteVectorBlock.cell(of: blocks.integer(0))
            let codec = cell == index.unencodedCell(training) ? try index.floats : training.codec
            let block = blocks.withBytes(1) {
                SQLiteVectorBlock($0, codeByteCount: codec.codeByteCount)
            }
            guard let block else { return false }
            codeCount += block.numbers.count
            for (place, number) in block.numbers.enumerated() {
                try vector.bind(number, at: 1)
                try vector.bind(Int64(cell), at: 2)
                defer { vector.reset() }
                // Removed since.
                guard try vector.step() else { continue }
                let start = place * codec.codeByteCount
                let code = block.codes[start..<start + codec.codeByteCount]
                guard seen.insert(number).inserted,
                    try isCode(code, of: vector.floats(0), cell, training, codec, block.error)
                else { return false }
            }
        }
        let placed = try connection.integer("SELECT count(*) FROM \(table) WHERE cell NOT NULL")
        return codeCount == state.codeCount && placed == Int64(seen.count)
    }

    private func isCode(
        _ code: ArraySlice<UInt8>,
        of vector: [Float],
        _ cell: Int,
        _ training: SQLiteVectorIndex.Training,
        _ codec: VectorCodec,
        _ error: Float
    ) throws -> Bool {
        guard vector.count == index.options.dimensions else { return false }
        var (expected, expectedError): ([UInt8], Float) = ([], 0)
        do throws(VectorError) {
            expectedError = try codec.encode(vector.span, appendingTo: &expected)
        } catch {
            return false
        }
        guard code.elementsEqual(expected), expectedError <= error else { return false }
        if cell == index.unencodedCell(training) { return true }
        let direction = index.directions(of: vector)
        return try training.centroids.nearest(to: direction.span).positions.first.map { Int($0) }
            == cell
    }
}
