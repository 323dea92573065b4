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

/// The cells that readers of a database searched last, shared by all of them.
///
/// Theory of operation: a key names the contents of the cell, because each committed change of an index gives it another
/// version. So an entry is valid for every snapshot of committed data, and is never changed. Entries are in two
/// generations; when the younger one is half as large as the limit, it becomes the older one, whose entries are dropped
/// unless a search used them since.
final class VectorCellCache: Sendable {
    /// A cell of a version of an index.
    struct Key: Hashable {
        let version: String
        let cell: Int
    }

    private struct Generations {
        var young: [Key: VectorCell] = [:]
        var old: [Key: VectorCell] = [:]
        var youngByteCount = 0
    }

    private let generations = Mutex(Generations())
    private let limit: Int

    /// - Parameter limit: The number of bytes that are kept.
    init(limit: Int = StoreLimits.vectorCellCacheByteCount) {
        self.limit = limit
    }

    /// Returns a cell if it is kept.
    func cell(_ key: Key) -> VectorCell? {
        generations.withLock { generations in
            if let cell = generations.young[key] { return cell }
            guard let cell = generations.old.removeValue(forKey: key) else { return nil }
            add(cell, key, to: &generations)
            return cell
        }
    }

    /// Keeps a cell.
    func keep(_ cell: VectorCell, as key: Key) {
        generations.withLock { add(cell, key, to: &$0) }
    }

    private func add(_ cell: VectorCell, _ key: Key, to generations: inout Generations) {
        guard cell.byteCount <= limit / 8 else { return }
        if generations.youngByteCount + cell.byteCount > limit / 2 {
            generations.old = generations.young
            (generations.young, generations.youngByteCount) = ([:], 0)
        }
        if generations.young.updateValue(cell, forKey: key) == nil {
            generations.youngByteCount += cell.byteCount
        }
    }
}
