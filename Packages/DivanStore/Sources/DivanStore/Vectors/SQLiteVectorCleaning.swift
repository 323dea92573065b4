internal import DivanSQLite
internal import DivanVectors

/// Removes the codes of removed vectors.
///
/// Theory of operation: each cell with such codes is written again, in full blocks, some cells at a time.
struct SQLiteVectorCleaning {
    private let index: SQLiteVectorIndex
    private let connection: StoreConnection

    init(_ index: SQLiteVectorIndex, on connection: StoreConnection) {
        self.index = index
        self.connection = connection
    }

    /// Cells with codes of removed vectors, until there are enough for a transaction.
    func cells() throws -> [CleanedCell] {
        guard let training = index.training else { return [] }
        let live = try connection.prepare("SELECT 1 FROM \(index.table) WHERE number = ?1")
        var (cells, byteCount): ([CleanedCell], Int) = ([], 0)
        for cell in 0...index.unencodedCell(training) {
            let size = index.codeByteCount(cell, training)
            let cleaned = try cleaned(cell, size) { number in
                try live.bind(number, at: 1)
                defer { live.reset() }
                return try live.step()
            }
            guard cleaned.removedCount > 0 else { continue }
            cells.append(cleaned)
            byteCount += cleaned.blocks.reduce(0) { $0 + $1.codes.count }
            if byteCount >= StoreLimits.placedVectorByteCount / 4 { break }
        }
        return cells
    }

    private func cleaned(
        _ cell: Int,
        _ codeByteCount: Int,
        where isLive: (Int64) throws -> Bool
    ) throws -> CleanedCell {
        let capacity = SQLiteVectorBlock.capacity(codeByteCount: codeByteCount)
        var (blocks, block, removedCount) = ([SQLiteVectorBlock](), SQLiteVectorBlock(), 0)
        let rows = try connection.functionStatement(
            "SELECT entries FROM \(index.table)_blocks WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
        )
        defer { rows.reset() }
        let ids = index.blocks(of: cell)
        try rows.bind(ids.lowerBound, at: 1)
        try rows.bind(ids.upperBound, at: 2)
        while try rows.step() {
            let old = try rows.vectorBlock(0, codeByteCount)
            for (place, number) in old.numbers.enumerated() {
                guard try isLive(number) else {
                    removedCount += 1
                    continue
                }
                let code = old.codes[place * codeByteCount..<(place + 1) * codeByteCount]
                block.append(number, code, error: old.error)
                guard block.numbers.count == capacity else { continue }
                blocks.append(block)
                block = SQLiteVectorBlock()
            }
        }
        if !block.numbers.isEmpty { blocks.append(block) }
        return CleanedCell(cell: cell, blocks: blocks, removedCount: removedCount)
    }

    func store(_ cells: [CleanedCell]) throws {
        guard var state = index.state else { return }
        let remove = try connection.prepare(
            "DELETE FROM \(index.table)_blocks WHERE id BETWEEN ?1 AND ?2"
        )
        for cell in cells {
            let ids = index.blocks(of: cell.cell)
            try remove.bind(ids.lowerBound, at: 1)
            try remove.bind(ids.upperBound, at: 2)
            try remove.run()
            for (number, block) in cell.blocks.enumerated() {
                try index.write(block, ids.lowerBound + Int64(number), on: connection)
            }
            state.codeCount = max(0, state.codeCount - cell.removedCount)
        }
        state.version += 1
        try state.store(as: .current, in: index.table, on: connection)
    }
}

/// A cell without the codes of removed vectors.
struct CleanedCell: Sendable {
    let cell: Int
    let blocks: [SQLiteVectorBlock]
    let removedCount: Int
}
