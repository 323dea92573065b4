import DivanListener
import DivanReplicator

/// Statistics of documents that were sent as deltas, in one direction.
///
/// An addition to the official API, which only logs these values.
public struct DeltaFigures: Equatable, Sendable {
    /// Number of documents.
    public private(set) var count: UInt64 = 0
    /// Bytes of the deltas, before compression.
    public private(set) var byteCount: UInt64 = 0
    /// Bytes of the documents that they represent.
    public private(set) var bodyByteCount: UInt64 = 0

    /// Bytes saved by deltas.
    public var savedByteCount: UInt64 { bodyByteCount - min(bodyByteCount, byteCount) }

    init() {}

    init(_ deltas: ListenerStatistics.Deltas) {
        count = deltas.count
        byteCount = deltas.byteCount
        bodyByteCount = deltas.bodyByteCount
    }

    /// Adds figures counted elsewhere.
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
