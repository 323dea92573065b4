/// Measures the duration of an operation that is logged when it ends.
public struct LogTimer: Sendable {
    private let start = ContinuousClock.now

    /// Starts the timer.
    public init() {}

    /// Milliseconds since it was created.
    public var milliseconds: Double { (ContinuousClock.now - start) / .milliseconds(1) }

    /// The time since it was created, as readable text: `0.4 ms`, `128 ms`.
    public var text: String {
        let hundredths = (milliseconds * 100).rounded()
        let shown = hundredths < 1_000 ? hundredths / 100 : (hundredths / 100).rounded()
        return shown < 10 ? "\(shown) ms" : "\(Int(shown)) ms"
    }
}

extension Log {
    /// Starts a timer; `nil` if no sink accepts entries of `level`, so that nothing is measured or logged.
    public func timer(for level: LogLevel) -> LogTimer? {
        isInterested(in: level) ? LogTimer() : nil
    }
}
