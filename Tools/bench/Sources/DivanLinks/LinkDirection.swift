/// One direction of a link with a rate and a length: says when bytes arrive, and when it takes more.
///
/// Theory of operation. A router in front of the link holds what it cannot send yet, 10 ms or 64 KB of
/// it, whichever is more; when that is full, whoever sends has to wait, as TCP would make him. From
/// there bytes leave one after the other at the link's rate, and arrive its latency after they have
/// left. Nothing is lost. Owns no clock: times are distances from any origin.
public struct LinkDirection: Sendable {
    /// Bytes that leave in a second.
    public let bytesPerSecond: Double
    /// How long each is under way.
    public let latency: Duration
    /// When the last byte that it was given has left.
    private var free: Duration = .zero

    /// Creates an idle direction.
    ///
    /// - Precondition: `bytesPerSecond` is above 0, `latency` not below.
    public init(bytesPerSecond: Double, latency: Duration) {
        precondition(bytesPerSecond > 0 && latency >= .zero, "LinkDirection: pass a rate")
        self.bytesPerSecond = bytesPerSecond
        self.latency = latency
    }

    /// Bytes that are taken together: 2 ms of the link, but a packet at least and 64 KB at most.
    public var pieceByteCount: Int { Int(min(max(bytesPerSecond / 500, 1_500), 65_536)) }

    /// Bytes that can be under way and in front of the link: whoever reads for it needs no more.
    public var mostByteCount: Int {
        Int((bufferTime + latency) / .seconds(1) * bytesPerSecond) + 2 * pieceByteCount
    }

    /// Takes bytes at a moment; returns when the last of them arrives.
    public mutating func take(_ byteCount: Int, at now: Duration) -> Duration {
        free = max(free, now) + .seconds(Double(byteCount) / bytesPerSecond)
        return free + latency
    }

    /// The moment from which on it takes more.
    public var opensAt: Duration { free - bufferTime }

    private var bufferTime: Duration { .seconds(max(0.01, 65_536 / bytesPerSecond)) }
}
