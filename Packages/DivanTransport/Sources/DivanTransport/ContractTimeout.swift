/// How a contract waits for something on another thread, or on a loop that the caller must turn.
struct ContractTimeout: Sendable {
    let limit: Duration
    let turn: (@Sendable () -> Void)?

    // On a busy machine the time may run out before the loop has been turned.
    private static let turnCount = 100

    /// Returns whether `condition` becomes true in time.
    func until(_ condition: @Sendable () -> Bool) async -> Bool {
        let clock = ContinuousClock()
        let end = clock.now + limit
        var count = 0
        while !condition() {
            turn?()
            count += 1
            if condition() { return true }
            guard clock.now < end || count < Self.turnCount else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }

    /// Waits, so that an event that must not happen has time to happen.
    func rest() async {
        for _ in 0..<20 {
            turn?()
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}
