import DivanPlatform

/// How long to wait for data from a descriptor.
struct ReadTimeout {
    /// When the time is over, by the monotonic clock in milliseconds; `nil` for never.
    private let end: Int?

    /// Begins now.
    init(milliseconds: Int?) {
        end = milliseconds.map { Self.now() + $0 }
    }

    /// Whether the time is over.
    var isOver: Bool { end.map { $0 <= Self.now() } ?? false }

    /// Waits for data, the end, or an error that reading will report; false if none
    /// comes in time.
    ///
    /// Also waits for a pipe without a writer.
    func waits(for descriptor: FileDescriptor) -> Bool {
        while descriptor.isOpen {
            let left = end.map { $0 - Self.now() }
            if let left, left <= 0 { return false }
            do {
                let wait = left.map { Int32(clamping: $0) } ?? -1
                let ready = try descriptor.wait(for: .reading, milliseconds: wait)
                if !ready.isEmpty { return true }
            } catch {
                if error.errno != .interrupted { return true }
            }
        }
        return true
    }

    private static func now() -> Int { Int(MonotonicClock.now() / 1_000_000) }
}
