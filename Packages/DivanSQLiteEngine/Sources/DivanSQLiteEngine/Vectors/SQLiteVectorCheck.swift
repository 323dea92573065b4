internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage
internal import DivanVectors

/// Checks that the codes of a vector index are those of its vectors.
struct SQLiteVectorCheck {
    private let table: String
    private let connection: StoreConnection

    init(_ table: String, on connection: StoreConnection) {
        self.table = table
        self.connection = connection
    }

    /// Whether each vector that is not new has one code in the blocks of the nearest cell, and new vectors have none.
    func isPlaced() throws -> Bool {
        let head = try SQLiteVectorIndex.Head(table, on: connection)
        let numbers = SQLiteVectorIndex.State.vectorNumbers
        let strays = try connection.prepare(
            "SELECT 1 FROM \(table) WHERE number NOT BETWEEN ?1 AND ?2 LIMIT 1"
        )
        try strays.bind(numbers, at: 1)
        guard try !strays.step() else { return false }
        strays.reset()
        if head.options.isLazy {
            let last = try connection.lastNumber(of: table)
            let greatest = try connection.integer("SELECT max(number) FROM \(table)") ?? 0
            guard max(greatest, head.placed) <= last else { return false }
        }
        // A former epoch can have left blocks in the other slot, but no index has blocks before it is trained.
        let slots = [head.state, head.next].compactMap(\.?.slot)
        let possible = head.state == nil ? slots : [.first, .second]
        let blocks = try connection.prepare("SELECT id FROM \(table)_blocks")
        while try blocks.step() {
            guard let slot = SQLiteVectorBlock.slot(of: blocks.integer(0)), possible.contains(slot)
            else { return false }
        }
        for epoch in [SQLiteVectorIndex.Epoch.current, .next] {
            let index = try SQLiteVectorIndex(table, epoch, on: connection)
            guard let training = index.training, let state = index.state else { continue }
            guard try areCodes(of: index, training, state) else { return false }
        }
        return true
    }

    private func areCodes(
        of index: SQLiteVectorIndex,
        _ training: SQLiteVectorIndex.Training,
        _ state: SQLiteVectorIndex.State
    ) throws -> Bool {
        let blocks = try connection.prepare(
            "SELECT id, entries FROM \(table)_blocks WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
        )
        try blocks.bind(state.slot.blocks, at: 1)
        let vector = try connection.prepare(
            "SELECT \(SQLiteVectorIndex.floats(of: table)) FROM \(table) AS v WHERE number = ?1"
        )
        var (seen, codeCount): (Set<Int64>, Int) = ([], 0)
        while try blocks.step() {
            let cell = SQLiteVectorBlock.cell(of: blocks.integer(0))
            let codec = cell == index.unencodedCell ? try index.floats : training.codec
            let block = blocks.withBytes(1) {
                SQLiteVectorBlock($0, codeByteCount: codec.codeByteCount)
            }
            guard let block else { return false }
            codeCount += block.numbers.count
            for (place, number) in block.numbers.enumerated() {
                guard number <= state.placed else { return false }
                try vector.bind(number, at: 1)
                defer { vector.reset() }
                // Removed since.
                guard try vector.step() else { continue }
                let start = place * codec.codeByteCount
                let code = block.codes[start..<start + codec.codeByteCount]
                guard seen.insert(number).inserted,
                    try isCode(
                        code,
                        of: vector.floats(0),
                        cell,
                        index,
                        training,
                        codec,
                        block.error
                    )
                else { return false }
            }
        }
        let placed = try connection.prepare("SELECT count(*) FROM \(table) WHERE number <= ?1")
        try placed.bind(state.placed, at: 1)
        return try codeCount == state.codeCount && placed.step() && placed.integer(0) == seen.count
    }

    private func isCode(
        _ code: ArraySlice<UInt8>,
        of vector: [Float],
        _ cell: Int,
        _ index: SQLiteVectorIndex,
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
        if cell == index.unencodedCell { return true }
        let direction = index.options.directions(of: vector)
        return try training.centroids.nearest(to: direction.span).positions.first.map { Int($0) }
            == cell
    }
}
