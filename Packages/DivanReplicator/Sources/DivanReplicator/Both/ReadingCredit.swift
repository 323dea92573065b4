/// How much of stored bodies a peer may make us read beside what it is sent.
///
/// A difference of a hundred bytes asks for a whole body to be read, changed and written; a proposal, or a
/// request for a blob, for one that a filter is asked about. So received bytes earn a multiple of
/// themselves, which covers ordinary documents, and time earns some more for large ones.
struct ReadingCredit {
    /// Bytes of stored bodies that one received byte is good for.
    private static let earning = 64

    /// Below zero where a body was read that was not covered.
    private var byteCount: Int
    private var refilled: Duration = .zero

    init(_ limits: ReplicatorLimits) {
        byteCount = limits.deltaSourceByteCount
    }

    /// Bytes came in.
    mutating func received(_ count: Int, _ limits: ReplicatorLimits) {
        byteCount = min(limits.deltaSourceByteCount, byteCount + count * Self.earning)
    }

    /// Whether a body of so many bytes may be read now; it is paid for then.
    mutating func spend(_ count: Int, at now: Duration, _ limits: ReplicatorLimits) -> Bool {
        refill(at: now, limits)
        guard count <= byteCount else { return false }
        byteCount -= count
        return true
    }

    /// Whether a body may be read now whose size decides nothing: what refuses it tells nothing of it.
    mutating func isPositive(at now: Duration, _ limits: ReplicatorLimits) -> Bool {
        refill(at: now, limits)
        return byteCount >= 0
    }

    /// Takes what such a body cost, covered or not.
    mutating func owe(_ count: Int) { byteCount -= count }

    /// When nothing is owed any more.
    func payday(_ limits: ReplicatorLimits) -> Duration {
        let owed = Double(max(0, -byteCount)) / Double(max(1, limits.deltaSourceByteCount))
        return refilled + .seconds(min(owed, 1)) + .milliseconds(1)
    }

    private mutating func refill(at now: Duration, _ limits: ReplicatorLimits) {
        let elapsed = max(.zero, now - refilled)
        refilled = max(refilled, now)
        let earned = min(Double(limits.deltaSourceByteCount) * (elapsed / .seconds(1)), 1e15)
        byteCount = min(limits.deltaSourceByteCount, byteCount + Int(earned))
    }
}
