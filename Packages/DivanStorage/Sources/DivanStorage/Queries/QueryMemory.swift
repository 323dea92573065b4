internal import Synchronization

/// The memory that running queries can use together: rows being sorted or grouped, and large values.
///
/// A single query can use half of it. Memory is counted in SQLite's allocator, so all large allocations are
/// limited. If a process used SQLite before Divan, the allocator cannot be replaced, and nothing is counted.
public final class QueryMemory: Sendable {
    /// The default for all queries of the process: `StorageLimits.queryByteCount`.
    public static let process = QueryMemory(byteLimit: StorageLimits.queryByteCount)

    /// Bytes for all queries together.
    public let byteLimit: Int
    private let held = Atomic<Int>(0)

    /// Creates a memory limit.
    ///
    /// - Parameter byteLimit: Bytes for all queries together; not less than 0.
    public init(byteLimit: Int) {
        self.byteLimit = max(0, byteLimit)
    }

    /// Bytes for one query.
    public var singleByteLimit: Int { byteLimit / 2 }

    /// Bytes that queries have requested and not released.
    var heldByteCount: Int { held.load(ordering: .relaxed) }

    /// Takes bytes, if they are available.
    public func take(_ byteCount: Int) -> Bool {
        let (before, _) = held.add(byteCount, ordering: .relaxed)
        guard before > byteLimit - byteCount else { return true }
        giveBack(byteCount)
        return false
    }

    /// Releases bytes that `take(_:)` reserved.
    public func giveBack(_ byteCount: Int) {
        held.subtract(byteCount, ordering: .relaxed)
    }
}
