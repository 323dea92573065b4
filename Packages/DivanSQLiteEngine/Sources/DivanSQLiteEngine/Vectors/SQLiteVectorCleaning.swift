internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage
internal import DivanVectors

/// Blocks without the codes of removed vectors.
struct CleanedBlocks: Sendable {
    /// The blocks that are written again.
    fileprivate(set) var written: [(id: Int64, block: SQLiteVectorBlock)] = []
    /// The blocks that are removed, since others have their codes, or none are left.
    fileprivate(set) var removed: [Int64] = []
    /// The number of codes that are left out.
    fileprivate(set) var codeCount = 0
    /// The block at which the next piece begins; `nil` at the end.
    fileprivate(set) var next: Int64?

    var isEmpty: Bool { written.isEmpty && removed.isEmpty }
}

/// Removes the codes of removed vectors.
///
/// Theory of operation: the blocks are read in their order, some at a time. Those with such codes are written again, and
/// take the codes of the next blocks of the same cell as long as these fit as a whole.
struct SQLiteVectorCleaning {
    private let index: SQLiteVectorIndex
    private let connection: StoreConnection

    init(_ index: SQLiteVectorIndex, on connection: StoreConnection) {
        self.index = index
        self.connection = connection
    }

    /// A block that is read, and what is left of it.
    private struct Current {
        let id: Int64
        var block: SQLiteVectorBlock
        var isChanged: Bool
    }

    /// Blocks from one on, until there are enough for a transaction.
    func blocks(from first: Int64, byteCount limit: Int) throws -> CleanedBlocks {
        guard let training = index.training, let slot = index.state?.slot else { return .init() }
        let live = try connection.prepare("SELECT 1 FROM \(index.table) WHERE number = ?1")
        let rows = try connection.prepare(
            "SELECT id, entries FROM \(index.table)_blocks WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
        )
        try rows.bind(max(first, slot.blocks.lowerBound), at: 1)
        try rows.bind(slot.blocks.upperBound, at: 2)
        var (cleaned, current, byteCount): (CleanedBlocks, Current?, Int) = (.init(), nil, 0)
        func finish() {
            guard let done = current else { return }
            if done.block.numbers.isEmpty {
                cleaned.removed.append(done.id)
            } else if done.isChanged {
                cleaned.written.append((done.id, done.block))
            }
        }
        while try rows.step() {
            let id = rows.integer(0)
            guard byteCount < limit else {
                cleaned.next = id
                break
            }
            let cell = SQLiteVectorBlock.cell(of: id)
            let size =
                cell == index.unencodedCell
                ? 4 * index.options.dimensions : training.codec.codeByteCount
            let old = try rows.vectorBlock(1, size)
            let block = try old.filter(codeByteCount: size) { number in
                try live.bind(number, at: 1)
                defer { live.reset() }
                return try live.step()
            }
            let removedCount = old.numbers.count - block.numbers.count
            cleaned.codeCount += removedCount
            if var joined = current, joined.isChanged || removedCount > 0,
                SQLiteVectorBlock.cell(of: joined.id) == cell,
                joined.block.numbers.count + block.numbers.count
                    <= SQLiteVectorBlock.capacity(codeByteCount: size)
            {
                _ = joined.block.fill(from: block, at: 0, codeByteCount: size)
                joined.isChanged = joined.isChanged || !block.numbers.isEmpty
                current = joined
                cleaned.removed.append(id)
                byteCount += old.byteCount
                continue
            }
            finish()
            current = Current(id: id, block: block, isChanged: removedCount > 0)
            if removedCount > 0 { byteCount += old.byteCount }
        }
        finish()
        return cleaned
    }

    func store(_ blocks: CleanedBlocks) throws {
        guard var state = index.state else { return }
        let remove = try connection.prepare("DELETE FROM \(index.table)_blocks WHERE id = ?1")
        for id in blocks.removed {
            try remove.bind(id, at: 1)
            try remove.run()
        }
        for (id, block) in blocks.written { try index.write(block, id, on: connection) }
        state.codeCount = max(0, state.codeCount - blocks.codeCount)
        state.version += 1
        try state.store(as: .current, in: index.table, on: connection)
    }
}
