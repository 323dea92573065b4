import Foundation

extension Duration {
    /// Seconds as an application gives them, as a time that can be added to any other.
    ///
    /// Moved into 0 to 100 years; not-a-number gives 0.
    static func bounded(seconds: TimeInterval) -> Duration {
        .seconds(seconds > 0 ? min(seconds, 3_155_760_000) : 0)
    }
}
