public import DivanVectors

/// A piece of work on a vector index, which an engine found in a snapshot.
///
/// It is computed without the database, and its change is stored in a short transaction. What it contains is the
/// engine's own.
public protocol VectorIndexWork: Sendable {
    /// Computes what is to be stored.
    ///
    /// - Parameter isCancelled: Whether to stop; asked between steps of about 10 ms.
    /// - Returns: The change.
    /// - Throws: `VectorError`, for example `cancelled`.
    func finish(isCancelled: () -> Bool) throws(VectorError) -> any VectorIndexChange
}

/// A change of a vector index that is ready to be stored by the engine that found the work.
public protocol VectorIndexChange: Sendable {
    /// What the next piece of work is allowed to do; `nil` if this change was the last one.
    func next(after upkeep: VectorUpkeep) -> VectorUpkeep?
}

/// When to work on a vector index.
public struct VectorUpkeep: Hashable, Sendable {
    /// New vectors that may remain in no cell.
    public var freshCount = StorageLimits.freshVectorCount
    /// An index is trained again when it has so many times the vectors of its training.
    public var growth = 4
    /// The vectors that may be worked on; `nil` for any number.
    public var vectorCount: Int?
    /// The multiplications that the work may need; ignored if `vectorCount` is `nil`.
    public var productCount = Int.max
    /// The block at which a removal of codes continues.
    public var firstBlock: Int64?
    /// Bytes of changed blocks in one transaction of a removal.
    public var cleanedByteCount = StorageLimits.placedVectorByteCount / 2

    /// In the background, or by request.
    public static let whole = VectorUpkeep()
    /// Before a query, which waits for it.
    public static let quick = VectorUpkeep(
        vectorCount: StorageLimits.fullySearchedVectorCount,
        productCount: StorageLimits.quickVectorProductCount
    )

    /// Whether the work on so many vectors is allowed.
    public func allows(_ count: Int, times products: Int) -> Bool {
        guard let vectorCount else { return true }
        let (product, overflow) = count.multipliedReportingOverflow(by: products)
        return count <= vectorCount && !overflow && product <= productCount
    }
}
