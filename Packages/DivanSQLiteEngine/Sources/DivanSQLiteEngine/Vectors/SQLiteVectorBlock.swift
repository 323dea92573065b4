internal import DivanSQLite
internal import DivanStorage

/// Codes of vectors in one cell, as they are stored in a row.
///
/// After a float, the greatest error of the codes (`EstimateBounds`), are the numbers of the vectors, 8 bytes each, and
/// the codes, all little-endian. The row's ID is the slot of the epoch, the number of the cell, and the number of the
/// block in it.
struct SQLiteVectorBlock {
    static let headByteCount = 4
    static let numberByteCount = 8
    private static let cellBitCount: Int64 = 20
    static let slotBitCount: Int64 = 40

    /// The IDs of the blocks of a cell.
    static func ids(of cell: Int, in slot: SQLiteVectorIndex.Slot) -> ClosedRange<Int64> {
        let first = Int64(slot.rawValue) << slotBitCount | Int64(cell) << cellBitCount
        return first...first | (1 << cellBitCount - 1)
    }

    /// The slot of a block; `nil` if the ID is wrong.
    static func slot(of id: Int64) -> SQLiteVectorIndex.Slot? {
        SQLiteVectorIndex.Slot(rawValue: Int(clamping: id >> slotBitCount))
    }

    /// The cell of a block.
    static func cell(of id: Int64) -> Int {
        Int(clamping: (id & (1 << slotBitCount - 1)) >> cellBitCount)
    }

    /// The number of codes in a full block, which takes about three pages.
    static func capacity(codeByteCount: Int) -> Int {
        max(
            16,
            min(256, SQLiteEngineLimits.vectorBlockByteCount / (codeByteCount + numberByteCount))
        )
    }

    private(set) var error: Float = 0
    private(set) var numbers: [Int64] = []
    private(set) var codes: [UInt8] = []

    init() {}

    /// Reads a block; `nil` if its length is wrong.
    init?(_ bytes: UnsafeBufferPointer<UInt8>, codeByteCount: Int) {
        guard let count = Self.count(bytes.count, codeByteCount: codeByteCount) else { return nil }
        error = Self.error(bytes)
        numbers = (0..<count).map { Self.number($0, bytes) }
        codes = Array(bytes[Self.codes(count)...])
    }

    /// The number of codes in a block; `nil` if its length is wrong.
    static func count(_ byteCount: Int, codeByteCount: Int) -> Int? {
        let rest = byteCount - headByteCount
        let each = numberByteCount + codeByteCount
        return rest >= 0 && rest.isMultiple(of: each) ? rest / each : nil
    }

    /// The greatest error of the codes; infinite in a damaged block, so that all are looked at.
    static func error(_ bytes: UnsafeBufferPointer<UInt8>) -> Float {
        let bits = UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt32.self)
        let error = Float(bitPattern: UInt32(littleEndian: bits))
        return error >= 0 ? error : .infinity
    }

    /// The number of a vector, of which there must be more than `index`.
    static func number(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        let place = headByteCount + index * numberByteCount
        let bits = UnsafeRawBufferPointer(bytes).loadUnaligned(
            fromByteOffset: place,
            as: Int64.self
        )
        return Int64(littleEndian: bits)
    }

    /// Where the codes begin.
    static func codes(_ count: Int) -> Int { headByteCount + count * numberByteCount }

    mutating func append(_ number: Int64, _ code: some Collection<UInt8>, error: Float) {
        numbers.append(number)
        codes += code
        self.error = max(self.error, error)
    }

    /// The codes of some vectors.
    func filter(
        codeByteCount: Int,
        _ isIncluded: (Int64) throws -> Bool
    ) rethrows -> SQLiteVectorBlock {
        var block = SQLiteVectorBlock()
        for (place, number) in numbers.enumerated() where try isIncluded(number) {
            let code = codes[place * codeByteCount..<(place + 1) * codeByteCount]
            block.append(number, code, error: error)
        }
        return block
    }

    /// Adds codes of another block, from a position on, until this one is full; returns the position of the rest.
    mutating func fill(
        from other: SQLiteVectorBlock,
        at start: Int,
        codeByteCount: Int
    ) -> Int {
        let room = max(0, Self.capacity(codeByteCount: codeByteCount) - numbers.count)
        let end = min(start + room, other.numbers.count)
        guard start < end else { return start }
        numbers += other.numbers[start..<end]
        codes += other.codes[start * codeByteCount..<end * codeByteCount]
        error = max(error, other.error)
        return end
    }

    var byteCount: Int { Self.codes(numbers.count) + codes.count }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [error].storedBytes
        bytes.reserveCapacity(byteCount)
        for number in numbers {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes + codes
    }
}

extension SQLiteVectorIndex {
    func write(
        _ block: SQLiteVectorBlock,
        _ id: Int64,
        on connection: StoreConnection
    ) throws {
        let write = try connection.functionStatement(
            "INSERT OR REPLACE INTO \(table)_blocks (id, entries) VALUES (?1, ?2)"
        )
        try write.bind(id, at: 1)
        try write.bind(block.bytes, at: 2)
        try write.run()
    }
}

extension SQLiteStatement<StoreFunctions> {
    /// Binds the bounds of a range, at this index and the next one.
    func bind(_ range: ClosedRange<Int64>, at index: Int32) throws(StoreError) {
        try bind(range.lowerBound, at: index)
        try bind(range.upperBound, at: index + 1)
    }

    /// The block in a column.
    func vectorBlock(
        _ column: Int32,
        _ codeByteCount: Int
    ) throws(StoreError) -> SQLiteVectorBlock {
        let block = withBytes(column) { SQLiteVectorBlock($0, codeByteCount: codeByteCount) }
        guard let block else { throw corrupt("a block of a vector index has the wrong length") }
        return block
    }
}
