/// One direction of a link with a rate and a latency: says when bytes arrive, and when it accepts more.
///
/// Theory of operation. A router in front of the link holds what it cannot send yet, 10 ms or 64 KB of
/// it, whichever is more; when that is full, the sender has to wait, as with TCP. From
/// there, bytes leave one after the other at the link's rate, and arrive its latency after they have
/// left. Nothing is lost. It has no clock: times are distances from any origin.
public struct LinkDirection: Sendable {
    /// Bytes that leave per second.
    public let bytesPerSecond: Double
    /// How long each byte travels.
    public let latency: Duration
    /// When the last byte that it accepted has left.
    private var free: Duration = .zero

    /// Creates an idle direction.
    ///
    /// - Precondition: `bytesPerSecond` is above 0, `latency` at least 0.
    public init(bytesPerSecond: Double, latency: Duration) {
        precondition(bytesPerSecond > 0 && latency >= .zero, "LinkDirection: pass a rate")
        self.bytesPerSecond = bytesPerSecond
        self.latency = latency
    }

    /// Bytes accepted together: 2 ms of the link, but at least a packet and at most 64 KB.
    public var pieceByteCount: Int { Int(min(max(bytesPerSecond / 500, 1_500), 65_536)) }

    /// Bytes that can be on the link and in front of it: reading ahead needs no more.
    public var mostByteCount: Int {
        Int((bufferTime + latency) / .seconds(1) * bytesPerSecond) + 2 * pieceByteCount
    }

    /// Accepts bytes at a time; returns when the last of them arrives.
    public mutating func take(_ byteCount: Int, at now: Duration) -> Duration {
        free = max(free, now) + .seconds(Double(byteCount) / bytesPerSecond)
        return free + latency
    }

    /// The time from which it accepts more.
    public var opensAt: Duration { free - bufferTime }

    private var bufferTime: Duration { .seconds(max(0.01, 65_536 / bytesPerSecond)) }
}
