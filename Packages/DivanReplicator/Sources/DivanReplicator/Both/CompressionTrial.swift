/// Finds out whether bodies travel faster compressed or as they are, on the link that there is.
///
/// Begins compressed, and measures what arrives: bytes of bodies that the peer has answered, by the
/// time in which some were under way. Where that is below `slowRate` the link is what holds it up,
/// and it stays compressed. Otherwise the codec may be: as many bytes go plain, and they go on so
/// if that was faster by a quarter. After a while, each time twice as long, it looks again.
///
/// Owns no clock: times are distances from any origin, handed in with what is sent and answered.
struct CompressionTrial: Sendable {
    /// Bytes of a body per second that deflate reaches on any machine; a slower stream does not
    /// wait for the codec.
    static let slowRate = 8_000_000.0
    /// Bytes that make a measurement.
    static let measuredByteCount = 2 << 20
    /// A measurement lasts at least this long.
    static let measuredTime: Duration = .milliseconds(50)
    /// Bytes after which it looks again, the first time.
    static let restByteCount = 64 << 20

    /// Whether the next body is to be compressed.
    private(set) var compresses = true

    private var step = Step.compressed
    private var restByteCount = Self.restByteCount
    private var outstandingByteCount = 0
    /// Of those, what was sent before this step began and tells nothing about it.
    private var earlierByteCount = 0
    private var answeredByteCount = 0
    private var elapsed: Duration = .zero
    private var lastTime: Duration = .zero

    private enum Step {
        case compressed
        /// Measures plain bodies, against so many bytes per second.
        case plain(compressedRate: Double)
        /// Keeps to what was faster.
        case rest
    }

    /// A body of `byteCount` bytes goes to the message layer.
    mutating func sent(_ byteCount: Int, at now: Duration) {
        if outstandingByteCount == 0 { lastTime = now }
        outstandingByteCount += byteCount
    }

    /// The peer has answered a body.
    mutating func answered(_ byteCount: Int, at now: Duration) {
        outstandingByteCount -= min(outstandingByteCount, byteCount)
        guard earlierByteCount == 0 else {
            earlierByteCount -= min(earlierByteCount, byteCount)
            lastTime = now
            return
        }
        answeredByteCount += byteCount
        elapsed += max(.zero, now - lastTime)
        lastTime = now
        advance()
    }

    private mutating func advance() {
        switch step {
        case .compressed:
            guard let rate = measuredRate else { return }
            begin(rate < Self.slowRate ? .rest : .plain(compressedRate: rate))
        case .plain(let compressedRate):
            guard let rate = measuredRate else { return }
            let isFaster = rate > compressedRate * 1.25
            begin(.rest)
            compresses = !isFaster
        case .rest:
            guard answeredByteCount >= restByteCount else { return }
            restByteCount = min(restByteCount * 2, 1 << 40)
            begin(.compressed)
        }
    }

    /// Bytes per second in this step; `nil` until there is enough to tell.
    private var measuredRate: Double? {
        guard answeredByteCount >= Self.measuredByteCount, elapsed >= Self.measuredTime else {
            return nil
        }
        return Double(answeredByteCount) / (elapsed / .seconds(1))
    }

    private mutating func begin(_ next: Step) {
        step = next
        if case .plain = next { compresses = false } else { compresses = true }
        earlierByteCount = outstandingByteCount
        answeredByteCount = 0
        elapsed = .zero
    }
}
