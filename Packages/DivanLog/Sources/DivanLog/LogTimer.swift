/// Measures the duration of something that is logged when it ends.
public struct LogTimer: Sendable {
    private let start = ContinuousClock.now

    /// Begins to measure.
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
    /// A timer that starts now; `nil`, so that nothing is measured or logged, if no sink wants entries of
    /// `level`.
    public func timer(for level: LogLevel) -> LogTimer? {
        isInterested(in: level) ? LogTimer() : nil
    }
}
