/// How a contract waits for what happens on another thread, or on a loop that somebody has to turn.
struct ContractPatience: Sendable {
    let limit: Duration
    let turn: (@Sendable () -> Void)?

    // On a busy machine the time may be over before anybody has turned the loop.
    private static let turnCount = 100

    /// Returns whether `condition` comes to hold in time.
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

    /// Gives what should not happen time to happen.
    func rest() async {
        for _ in 0..<20 {
            turn?()
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}
