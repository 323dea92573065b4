internal import Glibc

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
    func waits(for descriptor: Int32) -> Bool {
        while descriptor >= 0 {
            let left = end.map { $0 - Self.now() }
            if let left, left <= 0 { return false }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, left.map { Int32(clamping: $0) } ?? -1)
            if ready > 0 || ready < 0 && errno != EINTR { return true }
        }
        return true
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
