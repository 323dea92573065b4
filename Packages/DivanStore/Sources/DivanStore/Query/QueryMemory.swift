internal import Synchronization

/// The memory that queries may hold together while they run: rows that are sorted or put into groups, and
/// large values.
///
/// One query alone gets half of it. It is counted where SQLite takes it, so that every way to need much of it
/// is bounded; where a process used SQLite before Divan, SQLite's allocator stays as it was, and nothing is
/// counted.
public final class QueryMemory: Sendable {
    /// What all queries of the process share that are given no other: `StoreLimits.queryByteCount`.
    public static let process = QueryMemory(byteLimit: StoreLimits.queryByteCount)

    /// Bytes of all queries together.
    public let byteLimit: Int
    private let held = Atomic<Int>(0)

    /// Creates a share of memory.
    ///
    /// - Parameter byteLimit: Bytes of all queries together; not less than 0.
    public init(byteLimit: Int) {
        self.byteLimit = max(0, byteLimit)
    }

    /// Bytes of one query.
    public var singleByteLimit: Int { byteLimit / 2 }

    /// Bytes that queries have asked for and not given back.
    var heldByteCount: Int { held.load(ordering: .relaxed) }

    /// Takes bytes, if they are there.
    func take(_ byteCount: Int) -> Bool {
        let (before, _) = held.add(byteCount, ordering: .relaxed)
        guard before > byteLimit - byteCount else { return true }
        giveBack(byteCount)
        return false
    }

    func giveBack(_ byteCount: Int) {
        held.subtract(byteCount, ordering: .relaxed)
    }
}
