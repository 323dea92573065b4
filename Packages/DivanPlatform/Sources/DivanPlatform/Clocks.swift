internal import Glibc

/// The clock that only runs forward; it counts nanoseconds from an arbitrary moment.
public enum MonotonicClock {
    /// The current time.
    public static func now() -> UInt64 { nanoseconds(CLOCK_MONOTONIC) }

    /// The time of the last tick, a few milliseconds ago at most; costs a few nanoseconds.
    public static func coarse() -> UInt64 { nanoseconds(CLOCK_MONOTONIC_COARSE) }
}

/// The clock that shows the date; it counts from the start of 1970 in UTC, and can be set back.
public enum WallClock {
    /// Nanoseconds since 1970.
    public static func now() -> UInt64 { nanoseconds(CLOCK_REALTIME) }

    /// Milliseconds since 1970.
    public static func milliseconds() -> Int64 { Int64(now() / 1_000_000) }

    /// Seconds since 1970.
    public static func seconds() -> Int64 { Int64(time(nil)) }
}

/// The processor time that has been used, in nanoseconds.
public enum ProcessorClock {
    /// By this thread.
    public static func thread() -> UInt64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

    /// By all threads of this process.
    public static func process() -> UInt64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }
}

private func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
}

/// A moment in UTC, as the calendar shows it.
public struct CalendarTime: Equatable, Sendable {
    /// The year.
    public let year: Int
    /// The month, from 1.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int
    /// The hour, from 0.
    public let hour: Int
    /// The minute.
    public let minute: Int
    /// The second.
    public let second: Int
    /// The day of the week, 0 for Sunday.
    public let weekday: Int

    /// Converts seconds since the start of 1970, without leap seconds.
    public init(secondsSince1970 seconds: Int64) {
        var moment = time_t(seconds)
        var parts = tm()
        gmtime_r(&moment, &parts)
        year = Int(parts.tm_year) + 1900
        month = Int(parts.tm_mon) + 1
        day = Int(parts.tm_mday)
        hour = Int(parts.tm_hour)
        minute = Int(parts.tm_min)
        second = Int(parts.tm_sec)
        weekday = Int(parts.tm_wday)
    }
}
