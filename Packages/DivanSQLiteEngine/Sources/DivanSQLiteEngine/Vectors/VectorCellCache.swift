import Synchronization

/// All codes of one cell of a vector index.
struct VectorCell: Sendable {
    /// The numbers of the vectors.
    var numbers: [Int64] = []
    /// Their codes, one after another.
    var codes: [UInt8] = []
    /// The greatest error of the codes.
    var error: Float = 0

    fileprivate var byteCount: Int { 8 * numbers.count + codes.count }
}

/// Cells of vector indexes, shared by the readers of a database.
///
/// Theory of operation: each committed change of an index gives it another version, and the cells of a version never
/// change. So what is kept is valid for every snapshot that has this version. Cells are added while there is room,
/// and stay: if all were exchanged in turns, an index that is larger than the limit would find none of them. Once
/// many searches missed theirs, the cache is cleared.
final class VectorCellCache: Sendable {
    private struct Index {
        var version: String
        var cells: [Int: VectorCell] = [:]
        /// After so many more searches that find codes of removed vectors, these are counted.
        var searchCount = 1
    }

    private struct Contents {
        var indexes: [String: Index] = [:]
        var byteCount = 0
        var cellCount = 0
        var refusedCount = 0

        mutating func removeCells() {
            for table in indexes.keys { indexes[table]?.cells = [:] }
            (byteCount, cellCount, refusedCount) = (0, 0, 0)
        }
    }

    private static let refusalsPerCell = 32
    private static let searchesPerCount = 100

    private let contents = Mutex(Contents())
    private let limit: Int

    /// - Parameter limit: The number of bytes that are kept.
    init(limit: Int = SQLiteEngineLimits.vectorCellCacheByteCount) {
        self.limit = limit
    }

    /// The bytes of the largest cell that is kept.
    var cellByteCount: Int { limit / 8 }

    /// Returns a cell if it is kept.
    func cell(_ number: Int, of table: String, at version: String) -> VectorCell? {
        contents.withLock { contents in
            guard let index = contents.indexes[table], index.version == version else { return nil }
            return index.cells[number]
        }
    }

    /// Whether a cell of about this size would be kept.
    func hasRoom(for byteCount: Int, of table: String, at version: String) -> Bool {
        contents.withLock { contents in
            begin(table, version, &contents)
            if byteCount <= cellByteCount, contents.byteCount + byteCount <= limit { return true }
            contents.refusedCount += 1
            if contents.refusedCount > Self.refusalsPerCell * contents.cellCount {
                contents.removeCells()
            }
            return false
        }
    }

    /// Keeps a cell if there is room.
    func keep(_ cell: VectorCell, _ number: Int, of table: String, at version: String) {
        contents.withLock { contents in
            begin(table, version, &contents)
            guard contents.byteCount + cell.byteCount <= limit,
                contents.indexes[table]?.cells[number] == nil
            else { return }
            contents.indexes[table]?.cells[number] = cell
            contents.byteCount += cell.byteCount
            contents.cellCount += 1
        }
    }

    /// Notes that a search found many codes of removed vectors.
    func noteRemoved(_ table: String, at version: String) {
        contents.withLock { contents in
            begin(table, version, &contents)
            guard let count = contents.indexes[table]?.searchCount, count > 0 else { return }
            contents.indexes[table]?.searchCount = count - 1
        }
    }

    /// Notes that all of these codes were counted, and that they may stay: they are near the targets of some searches.
    func noteCounted(_ table: String, at version: String) {
        contents.withLock { contents in
            begin(table, version, &contents)
            contents.indexes[table]?.searchCount = Self.searchesPerCount
        }
    }

    /// Whether so many searches found many codes of removed vectors that they should be counted.
    func hasRemoved(_ table: String, at version: String) -> Bool {
        contents.withLock { contents in
            let index = contents.indexes[table]
            return index?.version == version && index?.searchCount == 0
        }
    }

    /// Forgets the cells of another version of an index.
    private func begin(_ table: String, _ version: String, _ contents: inout Contents) {
        let old = contents.indexes[table]
        guard old?.version != version else { return }
        contents.byteCount -= old?.cells.values.reduce(0) { $0 + $1.byteCount } ?? 0
        contents.cellCount -= old?.cells.count ?? 0
        contents.indexes[table] = Index(version: version)
    }
}
