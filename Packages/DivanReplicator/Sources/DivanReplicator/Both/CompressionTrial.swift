/// Finds the compression effort with which bodies travel fastest, given the link and the processors.
///
/// The choices form a sequence: the codec's grades, the densest first, followed by uncompressed bodies. The throughput
/// of a choice is the lesser of what the processors can produce, which increases along the sequence, and what the link
/// can carry, which decreases: so there is a single maximum, found by hill climbing.
///
/// Starts in the middle, and measures what arrives: bytes of bodies that the peer has answered, divided by the time
/// during which some were in transit. If that is below `slowRate`, the link is the bottleneck, and bodies are sent as
/// dense as possible. Otherwise as many bytes are sent with the next choice, and so on along the sequence as long as
/// that was faster by a tenth; if the first step up was not, it tries the other direction. After a while, twice as long
/// each time, it measures again.
///
/// A link far below `slowRate` is recognised long before so many bytes have been sent: `earlyTime` of answers is enough
/// then. Whatever made a link look slow may have been temporary, so the densest choice is measured, too, and abandoned
/// if bodies turn out to flow.
///
/// Owns no clock: times are relative to any origin, passed in with what is sent and answered.
struct CompressionTrial: Sendable {
    /// Bytes of a body per second that deflate achieves on any machine; a slower stream does not wait for the codec.
    static let slowRate = 8_000_000.0
    /// How much faster another choice must be.
    static let gain = 1.1
    /// Bytes needed for a measurement.
    static let measuredByteCount = 2 << 20
    /// A measurement lasts at least this long.
    static let measuredTime: Duration = .milliseconds(50)
    /// After this much time of answers a stream slower than `earlyRate` is known to be slow.
    static let earlyTime: Duration = .milliseconds(250)
    /// A quarter of `slowRate`, far enough below it for a short measurement.
    static let earlyRate = slowRate / 4
    /// Bytes after which it measures again, the first time.
    static let restByteCount = 64 << 20

    /// The index of the choice for the next body.
    private var choice: Int
    private let gradeCount: Int

    private var step = Step.first
    private var restByteCount = Self.restByteCount
    private var outstandingByteCount = 0
    /// Of those, bytes sent before this step began, which say nothing about it.
    private var earlierByteCount = 0
    private var answeredByteCount = 0
    /// Nothing flows until the first answer, which must not count as a speed.
    private var hasBegun = false
    private var elapsed: Duration = .zero
    private var lastTime: Duration = .zero
    /// Bytes answered since the very first answer, with any choice, and the time they took; `nil` once it is known
    /// whether that was slow.
    private var opening: (byteCount: Int, elapsed: Duration)? = (0, .zero)

    private enum Step {
        /// Measures the middle.
        case first
        /// Measures the densest, because the link looked slow.
        case dense
        /// Measures a neighbour, against the bytes per second of the previous choice.
        case climbing(by: Int, from: Double, mayTurn: Bool)
        /// Keeps the fastest choice.
        case rest
    }

    /// Creates a trial for a codec with this many grades, one or more.
    init(gradeCount: Int = 1) {
        self.gradeCount = max(gradeCount, 1)
        choice = self.gradeCount / 2
    }

    /// Whether the next body is to be compressed.
    var compresses: Bool { choice < gradeCount }

    /// The codec's grade for what is compressed.
    var grade: Int { min(choice, gradeCount - 1) }

    /// A body of `byteCount` bytes is passed to the message layer.
    mutating func sent(_ byteCount: Int, at now: Duration) {
        if outstandingByteCount == 0 { lastTime = now }
        outstandingByteCount += byteCount
    }

    /// The peer has answered a body.
    mutating func answered(_ byteCount: Int, at now: Duration) {
        outstandingByteCount -= min(outstandingByteCount, byteCount)
        if hasBegun {
            look(byteCount, max(.zero, now - lastTime))
        } else {
            hasBegun = true
            earlierByteCount = outstandingByteCount
        }
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

    /// Decides at once for a link that is far too slow.
    private mutating func look(_ byteCount: Int, _ time: Duration) {
        guard var opening else { return }
        opening.byteCount += byteCount
        opening.elapsed += time
        self.opening = opening
        guard opening.elapsed >= Self.earlyTime else { return }
        self.opening = nil
        let seconds = opening.elapsed / .seconds(1)
        let rate = Double(opening.byteCount) / seconds
        if case .first = step, rate < Self.earlyRate { begin(.dense, with: 0) }
    }

    private mutating func advance() {
        switch step {
        case .first:
            guard let rate = measuredRate else { return }
            if rate < Self.slowRate {
                begin(.dense, with: 0)
            } else {
                climb(by: 1, from: rate, mayTurn: true)
            }
        case .dense:
            guard let rate = measuredRate else { return }
            climb(by: rate < Self.slowRate ? 0 : 1, from: rate, mayTurn: false)
        case .climbing(let direction, let former, let mayTurn):
            guard let rate = measuredRate else { return }
            if rate > former * Self.gain {
                climb(by: direction, from: rate, mayTurn: false)
            } else {
                choice -= direction
                climb(by: mayTurn ? -direction : 0, from: former, mayTurn: false)
            }
        case .rest:
            guard answeredByteCount >= restByteCount else { return }
            restByteCount = min(restByteCount * 2, 1 << 40)
            begin(.first, with: gradeCount / 2)
        }
    }

    /// Tries the next choice in a direction; rests if there is none.
    private mutating func climb(by direction: Int, from rate: Double, mayTurn: Bool) {
        let next = choice + direction
        guard direction != 0, (0...gradeCount).contains(next) else {
            return begin(.rest, with: choice)
        }
        begin(.climbing(by: direction, from: rate, mayTurn: mayTurn), with: next)
    }

    /// Bytes per second in this step; `nil` until there is enough data.
    private var measuredRate: Double? {
        guard answeredByteCount >= Self.measuredByteCount, elapsed >= Self.measuredTime else {
            return nil
        }
        let seconds = elapsed / .seconds(1)
        return Double(answeredByteCount) / seconds
    }

    private mutating func begin(_ next: Step, with choice: Int) {
        step = next
        self.choice = choice
        earlierByteCount = outstandingByteCount
        answeredByteCount = 0
        elapsed = .zero
    }
}
