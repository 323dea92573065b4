/// A clock whose times always increase, whatever the wall clock does, and are later than every time that
/// it has seen: so a revision written after another was read is later than that.
///
/// Times are nanoseconds since 1970, of which the lowest 16 bits (65 µs) count events within one
/// moment. One value for each database, stored with it; the wall time is passed in.
///
/// Source: `version-vectors.md` §3.
public struct HybridClock: Equatable, Sendable {
    /// The times that are accepted from others; the lowest is that of the first converted tree ID.
    public static let validTimes: ClosedRange<UInt64> = (1 << 40)...(1 << 63 - 1)
    /// How far ahead of the wall clock a time from others may be, in nanoseconds: two minutes.
    public static let tolerance: UInt64 = 120_000_000_000

    private static let counterBits: UInt64 = 0xFFFF

    /// The latest time that was given or seen; 0 for a new clock.
    public private(set) var last: UInt64

    /// Creates a clock that continues after a time that it gave before.
    public init(last: UInt64 = 0) {
        self.last = min(last, Self.validTimes.upperBound - 1)
    }

    /// A time later than all that were given or seen.
    ///
    /// - Parameter wall: Nanoseconds since 1970; a value out of range counts as the nearest one in
    ///   it.
    /// - Returns: `nil` when no time is left, which requires a clock that was set to the year 2262.
    public mutating func now(wall: UInt64) -> UInt64? {
        let wall = min(max(wall, Self.validTimes.lowerBound), Self.validTimes.upperBound)
        let moment = wall & ~Self.counterBits
        if moment > last & ~Self.counterBits {
            last = moment
        } else {
            guard last < Self.validTimes.upperBound else { return nil }
            last += 1
        }
        return last
    }

    /// Notes a time received from others.
    ///
    /// - Throws: `invalidTime`, `timeInFuture`; the clock is then unchanged.
    public mutating func see(_ time: UInt64, wall: UInt64) throws(VersionError) {
        guard Self.validTimes.contains(time) else { throw .invalidTime(time) }
        let (limit, overflows) = wall.addingReportingOverflow(Self.tolerance)
        guard overflows || time & ~Self.counterBits <= limit else {
            throw .timeInFuture(time, wall: wall)
        }
        last = max(last, time)
    }

    /// Notes a time that this clock gave, perhaps before the wall clock was set back.
    mutating func pass(_ time: UInt64) {
        last = max(last, min(time, Self.validTimes.upperBound))
    }

    /// Notes the times of all versions of a vector received from others.
    ///
    /// - Throws: As for one time; the clock is then unchanged.
    public mutating func see(_ vector: VersionVector, wall: UInt64) throws(VersionError) {
        var clock = self
        for version in vector.versions { try clock.see(version.time, wall: wall) }
        self = clock
    }
}
