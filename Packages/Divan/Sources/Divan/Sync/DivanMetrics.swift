@_spi(Modern) internal import CouchbaseLiteSwift

/// The metrics of this process's databases, syncs and listeners.
///
/// ```swift
/// server.get("/metrics") { _ in DivanMetrics.text }
/// ```
///
/// Can be used from any thread; takes less than a millisecond for hundreds of syncs.
public enum DivanMetrics {
    /// All metrics in the Prometheus text format, version 0.0.4 (`text/plain; version=0.0.4; charset=utf-8`).
    ///
    /// Counters of syncs that no longer exist are kept.
    public static var text: String { CouchbaseLiteSwift.metrics.text }
}
