import Synchronization

/// Distinguishes contexts, even from released ones; unique within the process.
struct ContextNumber: Equatable, Sendable {
    private let rawValue: UInt64

    private static let last = Atomic<UInt64>(0)

    /// Takes the next number.
    init() {
        rawValue = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
