/// How much of stored bodies a peer may make us read for its differences.
///
/// A difference of a hundred bytes asks for a whole body to be read, changed and written. So received
/// bytes earn a multiple of themselves, which covers ordinary documents, and time earns some more for
/// large ones; what is not covered is asked for in full.
struct DeltaCredit {
    /// Bytes of stored bodies that one received byte is good for.
    private static let earning = 64

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
        let elapsed = min(max(.zero, now - refilled), .seconds(1))
        refilled = max(refilled, now)
        let earned = Double(limits.deltaSourceByteCount) * (elapsed / .seconds(1))
        byteCount = min(limits.deltaSourceByteCount, byteCount + Int(earned))
        guard count <= byteCount else { return false }
        byteCount -= count
        return true
    }
}
