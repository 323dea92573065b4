/// The number of a collection in its engine; never reused.
public struct CollectionID: Hashable, Sendable {
    /// 1 or more.
    public let rawValue: Int64

    /// Creates an ID from a number that an engine assigned.
    @inlinable
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// A collection's counters.
public struct CollectionState: Equatable, Sendable {
    /// The collection.
    public let id: CollectionID
    /// The greatest sequence ever assigned in the collection; 0 if none.
    public var lastSequence: UInt64
    /// Documents that are not tombstones.
    public var liveCount: Int

    /// Creates the counters of a collection; by default zero, as for a new collection.
    @inlinable
    public init(id: CollectionID, lastSequence: UInt64 = 0, liveCount: Int = 0) {
        self.id = id
        self.lastSequence = lastSequence
        self.liveCount = liveCount
    }

    /// Counts the row of a document, which may have replaced another one.
    ///
    /// Damage may have made the count too low, so it is kept from going below zero.
    @inlinable
    public mutating func take(_ row: DocumentRow, over old: DocumentRow? = nil) {
        lastSequence = row.sequence
        let lived = !(old?.flags.contains(.tombstone) ?? true)
        let lives = !row.flags.contains(.tombstone)
        if lived != lives { liveCount = max(0, liveCount + (lives ? 1 : -1)) }
    }

    /// Stops counting a row.
    public mutating func forget(_ row: DocumentRow) {
        if !row.flags.contains(.tombstone) { liveCount = max(0, liveCount - 1) }
    }
}
