/// How much of stored bodies a peer may make us read in addition to what it is sent.
///
/// A delta of a hundred bytes requires a whole body to be read, changed and written; a proposal, or a request for a
/// blob, requires one that a filter is asked about. So received bytes earn a multiple of themselves, which covers
/// ordinary documents, and time earns some more for large ones.
struct ReadingCredit {
    /// Bytes of stored bodies earned by one received byte.
    private static let earning = 64

    /// The maximum credit, and what each second earns.
    private let allowance: Int
    /// Below zero if a body was read that was not covered.
    private var byteCount: Int
    private var refilled: Duration = .zero

    init(_ limits: ReplicatorLimits) {
        allowance = limits.deltaSourceByteCount
        byteCount = allowance
    }

    /// Bytes were received.
    mutating func received(_ count: Int) {
        byteCount = min(allowance, byteCount + count * Self.earning)
    }

    /// Whether a body of this many bytes may be read now; if so, it is charged.
    mutating func spend(_ count: Int, at now: Duration) -> Bool {
        refill(at: now)
        guard count <= byteCount else { return false }
        byteCount -= count
        return true
    }

    /// Whether a body may be read now regardless of its size, so that a refusal reveals nothing about it.
    mutating func isPositive(at now: Duration) -> Bool {
        refill(at: now)
        return byteCount >= 0
    }

    /// Charges such a body, whether covered or not.
    mutating func owe(_ count: Int) { byteCount -= count }

    /// When nothing is owed any more.
    var payday: Duration {
        let owed = Double(max(0, -byteCount)) / Double(max(1, allowance))
        return refilled + .seconds(min(owed, 1)) + .milliseconds(1)
    }

    private mutating func refill(at now: Duration) {
        let elapsed = max(.zero, now - refilled)
        refilled = max(refilled, now)
        let earned = min(Double(allowance) * (elapsed / .seconds(1)), 1e15)
        byteCount = min(allowance, byteCount + Int(earned))
    }
}
