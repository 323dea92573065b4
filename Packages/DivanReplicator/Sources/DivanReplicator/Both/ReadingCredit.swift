/// How much of stored bodies a peer may make us read beside what it is sent.
///
/// A difference of a hundred bytes asks for a whole body to be read, changed and written; a proposal, or a
/// request for a blob, for one that a filter is asked about. So received bytes earn a multiple of
/// themselves, which covers ordinary documents, and time earns some more for large ones.
struct ReadingCredit {
    /// Bytes of stored bodies that one received byte is good for.
    private static let earning = 64

    /// The most that it may be, and what each second earns.
    private let allowance: Int
    /// Below zero where a body was read that was not covered.
    private var byteCount: Int
    private var refilled: Duration = .zero

    init(_ limits: ReplicatorLimits) {
        allowance = limits.deltaSourceByteCount
        byteCount = allowance
    }

    /// Bytes came in.
    mutating func received(_ count: Int) {
        byteCount = min(allowance, byteCount + count * Self.earning)
    }

    /// Whether a body of so many bytes may be read now; it is paid for then.
    mutating func spend(_ count: Int, at now: Duration) -> Bool {
        refill(at: now)
        guard count <= byteCount else { return false }
        byteCount -= count
        return true
    }

    /// Whether a body may be read now whose size decides nothing: what refuses it tells nothing of it.
    mutating func isPositive(at now: Duration) -> Bool {
        refill(at: now)
        return byteCount >= 0
    }

    /// Takes what such a body cost, covered or not.
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
