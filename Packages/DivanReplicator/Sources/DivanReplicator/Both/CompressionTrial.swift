/// Finds out with how much effort bodies travel fastest, on the link and with the processors that
/// there are.
///
/// The choices stand in a row: the codec's grades, the densest first, and behind them bodies as they
/// are. What a choice carries is the lesser of what the processors make of it, which grows along the
/// row, and what the link takes of it, which falls: so there is one best place, found by going uphill.
///
/// Begins in the middle, and measures what arrives: bytes of bodies that the peer has answered, by the
/// time in which some were under way. Where that is below `slowRate` the link is what holds it up,
/// and bodies travel as dense as they can. Otherwise as many bytes go with the next choice, and on
/// along the row as long as that was faster by a tenth; when the first step up was not, it tries the
/// other direction. After a while, each time twice as long, it looks again.
///
/// A link far below `slowRate` shows that long before so many bytes are over it: `earlyTime` of answers is
/// enough then. Whatever made a link look slow may have been a moment's, so the densest choice is
/// measured, too, and left again when bodies turn out to flow.
///
/// Owns no clock: times are distances from any origin, handed in with what is sent and answered.
struct CompressionTrial: Sendable {
    /// Bytes of a body per second that deflate reaches on any machine; a slower stream does not
    /// wait for the codec.
    static let slowRate = 8_000_000.0
    /// How much faster another choice has to be.
    static let gain = 1.1
    /// Bytes that make a measurement.
    static let measuredByteCount = 2 << 20
    /// A measurement lasts at least this long.
    static let measuredTime: Duration = .milliseconds(50)
    /// After so much time of answers a stream that is slower than `earlyRate` is known to be slow.
    static let earlyTime: Duration = .milliseconds(250)
    /// A quarter of `slowRate`, far enough from it for a short look.
    static let earlyRate = slowRate / 4
    /// Bytes after which it looks again, the first time.
    static let restByteCount = 64 << 20

    /// The place in the row that holds for the next body.
    private var choice: Int
    private let gradeCount: Int

    private var step = Step.first
    private var restByteCount = Self.restByteCount
    private var outstandingByteCount = 0
    /// Of those, what was sent before this step began and tells nothing about it.
    private var earlierByteCount = 0
    private var answeredByteCount = 0
    /// Until the first answer nothing flows, which is no speed.
    private var hasBegun = false
    private var elapsed: Duration = .zero
    private var lastTime: Duration = .zero
    /// What was answered since the very first answer, by whichever choice, and the time of it; `nil`
    /// once it is known whether that was slow.
    private var opening: (byteCount: Int, elapsed: Duration)? = (0, .zero)

    private enum Step {
        /// Measures the middle.
        case first
        /// Measures the densest, since the link looked slow.
        case dense
        /// Measures a neighbour, against so many bytes per second of the choice that it comes from.
        case climbing(by: Int, from: Double, mayTurn: Bool)
        /// Keeps to what was fastest.
        case rest
    }

    /// A trial of a codec with so many grades, one or more.
    init(gradeCount: Int = 1) {
        self.gradeCount = max(gradeCount, 1)
        choice = self.gradeCount / 2
    }

    /// Whether the next body is to be compressed.
    var compresses: Bool { choice < gradeCount }

    /// The codec's grade for what is compressed.
    var grade: Int { min(choice, gradeCount - 1) }

    /// A body of `byteCount` bytes goes to the message layer.
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

    /// Gives a link that is far too slow its verdict at once.
    private mutating func look(_ byteCount: Int, _ time: Duration) {
        guard var opening else { return }
        opening.byteCount += byteCount
        opening.elapsed += time
        self.opening = opening
        guard opening.elapsed >= Self.earlyTime else { return }
        self.opening = nil
        let rate = Double(opening.byteCount) / (opening.elapsed / .seconds(1))
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

    /// Tries the next choice in a direction; rests where there is none.
    private mutating func climb(by direction: Int, from rate: Double, mayTurn: Bool) {
        let next = choice + direction
        guard direction != 0, (0...gradeCount).contains(next) else {
            return begin(.rest, with: choice)
        }
        begin(.climbing(by: direction, from: rate, mayTurn: mayTurn), with: next)
    }

    /// Bytes per second in this step; `nil` until there is enough to tell.
    private var measuredRate: Double? {
        guard answeredByteCount >= Self.measuredByteCount, elapsed >= Self.measuredTime else {
            return nil
        }
        return Double(answeredByteCount) / (elapsed / .seconds(1))
    }

    private mutating func begin(_ next: Step, with choice: Int) {
        step = next
        self.choice = choice
        earlierByteCount = outstandingByteCount
        answeredByteCount = 0
        elapsed = .zero
    }
}
