/// The number of a collection inside its engine; never given twice.
public struct CollectionID: Hashable, Sendable {
    /// 1 or more.
    public let rawValue: Int64

    /// Takes a number that an engine gave.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// A collection's counters.
public struct CollectionState: Equatable, Sendable {
    /// The collection.
    public let id: CollectionID
    /// The greatest sequence ever given in the collection; 0 = none.
    public var lastSequence: UInt64
    /// Documents that are not tombstones.
    public var liveCount: Int

    /// Creates the counters of a collection; those of a new one are zero.
    public init(id: CollectionID, lastSequence: UInt64 = 0, liveCount: Int = 0) {
        self.id = id
        self.lastSequence = lastSequence
        self.liveCount = liveCount
    }

    /// Counts the row of a document, which may have taken the place of another one.
    ///
    /// Damage may have made the count too low, and below nothing there is none.
    mutating func take(_ row: DocumentRow, over old: DocumentRow? = nil) {
        lastSequence = row.sequence
        let lived = !(old?.flags.contains(.tombstone) ?? true)
        let lives = !row.flags.contains(.tombstone)
        if lived != lives { liveCount = max(0, liveCount + (lives ? 1 : -1)) }
    }

    /// Counts a row no more.
    mutating func forget(_ row: DocumentRow) {
        if !row.flags.contains(.tombstone) { liveCount = max(0, liveCount - 1) }
    }
}
