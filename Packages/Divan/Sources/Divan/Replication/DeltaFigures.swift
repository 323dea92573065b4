import DivanListener
import DivanReplicator

/// Documents that travelled as differences, in one direction.
///
/// An addition to the official API, which writes these figures to its logs only.
public struct DeltaFigures: Equatable, Sendable {
    /// How many.
    public private(set) var count: UInt64 = 0
    /// Bytes of the differences, before compression.
    public private(set) var byteCount: UInt64 = 0
    /// Bytes of the documents that they stand for.
    public private(set) var bodyByteCount: UInt64 = 0

    /// Bytes that needed not travel.
    public var savedByteCount: UInt64 { bodyByteCount - min(bodyByteCount, byteCount) }

    init() {}

    init(_ deltas: ListenerStatistics.Deltas) {
        count = deltas.count
        byteCount = deltas.byteCount
        bodyByteCount = deltas.bodyByteCount
    }

    /// Adds what was counted elsewhere.
    mutating func add(_ other: DeltaFigures) {
        count += other.count
        byteCount += other.byteCount
        bodyByteCount += other.bodyByteCount
    }

    /// Adds one document.
    mutating func count(_ delta: DeltaUse) {
        count += 1
        byteCount += UInt64(delta.byteCount)
        bodyByteCount += UInt64(delta.bodyByteCount)
    }
}
