/// A clock whose times always increase, independent of the wall clock, and are later than every received time that
/// is at most a minute ahead of the wall clock.
///
/// Times are nanoseconds since 1970, of which the lowest 16 bits (65 µs) count events within one
/// moment. One value for each database, stored with it; the wall time is passed in.
///
/// Source: `version-vectors.md` §3.
public struct HybridClock: Equatable, Sendable {
    /// The times that are accepted from others; the lowest is that of the first converted tree ID.
    public static let validTimes: ClosedRange<UInt64> = (1 << 40)...(1 << 63 - 1)
    /// The maximum by which a received time can be ahead of the wall clock, in nanoseconds: two minutes.
    public static let tolerance: UInt64 = 120_000_000_000
    /// The maximum by which a received time moves this clock ahead of the wall clock, in nanoseconds: one minute.
    ///
    /// Less than `tolerance`: peers whose clocks are up to a minute behind still accept local revisions after
    /// another peer has sent the latest accepted times.
    public static let influence: UInt64 = 60_000_000_000
    /// The latest wall time that is used: 2⁴⁰ times remain after it, so that the counter does not overflow.
    public static let latestWallTime: UInt64 = validTimes.upperBound - 1 << 40

    private static let counterBits: UInt64 = 0xFFFF

    /// The latest time that was returned or received; 0 for a new clock.
    public private(set) var last: UInt64
    /// The last time that was unusually far ahead of all earlier times, unless a peer has confirmed it.
    public private(set) var jump: ClockJump?

    /// Creates a clock that continues after a time that it returned before.
    public init(last: UInt64 = 0, jump: ClockJump? = nil) {
        self.last = min(last, Self.latestWallTime)
        self.jump = jump
    }

    /// The clock without the lead that no peer accepts.
    ///
    /// It continues one minute ahead of the wall clock, because it may have given every time until then while both
    /// clocks were right: a time that was given twice would name two revisions.
    public func setBack(to wall: UInt64) -> HybridClock {
        HybridClock(last: min(last, min(wall, Self.latestWallTime) + Self.influence))
    }

    /// The latest time that peers can send at the local wall time `wall`.
    public static func limit(at wall: UInt64) -> UInt64 {
        min(wall, latestWallTime) + tolerance
    }

    /// Returns a time later than all returned and received times.
    ///
    /// - Parameter wall: Nanoseconds since 1970; a value out of range becomes the nearest valid value.
    /// - Returns: `nil` if no time is left, which requires 2⁴⁰ saves with a clock that was set to the year 2262.
    public mutating func now(wall: UInt64) -> UInt64? {
        let wall = min(max(wall, Self.validTimes.lowerBound), Self.latestWallTime)
        let moment = wall & ~Self.counterBits
        if moment > last & ~Self.counterBits {
            if last > 0, moment - last > ClockJump.usual {
                jump = ClockJump(from: last, to: moment)
            }
            last = moment
        } else {
            guard last < Self.validTimes.upperBound else { return nil }
            last += 1
        }
        return last
    }

    /// A time later than all that were given or seen, and than that of a document's revision.
    ///
    /// A revision far ahead of the wall clock moves only its own document's next time, not this clock.
    mutating func now(wall: UInt64, after floor: UInt64) -> UInt64? {
        guard let time = now(wall: wall) else { return nil }
        guard floor >= time else { return time }
        guard floor < Self.validTimes.upperBound else { return nil }
        follow(floor + 1, wall: wall)
        return floor + 1
    }

    /// Records a time from a peer.
    ///
    /// - Throws: `invalidTime`, `timeInFuture`; the clock is then unchanged.
    public mutating func see(_ time: UInt64, wall: UInt64) throws(VersionError) {
        guard Self.validTimes.contains(time) else { throw .invalidTime(time) }
        guard time & ~Self.counterBits <= Self.limit(at: wall) else {
            throw .timeInFuture(time, wall: wall)
        }
        follow(time, wall: wall)
        if let jump, jump.isConfirmed(by: time) { self.jump = nil }
    }

    /// Continues after a time, as far as that is not too far ahead.
    private mutating func follow(_ time: UInt64, wall: UInt64) {
        last = max(last, min(time, min(wall, Self.latestWallTime) + Self.influence))
    }

    /// Records the times of all versions of a vector from a peer.
    ///
    /// - Throws: As for one time; the clock is then unchanged.
    public mutating func see(_ vector: VersionVector, wall: UInt64) throws(VersionError) {
        var clock = self
        for version in vector.versions { try clock.see(version.time, wall: wall) }
        self = clock
    }
}

/// A save whose time was far ahead of all earlier saves and received times.
///
/// Either nothing was saved for that long, or the wall clock was wrong.
public struct ClockJump: Equatable, Sendable {
    /// The usual maximum between two times, in nanoseconds: 30 days.
    public static let usual: UInt64 = 30 * 86_400_000_000_000

    /// The latest time before the save, in nanoseconds since 1970.
    public let from: UInt64
    /// The time of the save, in nanoseconds since 1970.
    public let to: UInt64

    /// Creates a jump from its two times.
    public init(from: UInt64, to: UInt64) {
        self.from = from
        self.to = to
    }

    /// The length in days, rounded to the nearest.
    public var dayCount: Int {
        let day: UInt64 = 86_400_000_000_000
        return Int(clamping: (max(from, to) - from + day / 2) / day)
    }

    /// Whether a peer's clock shows about the same time.
    func isConfirmed(by time: UInt64) -> Bool { time >= to - min(to, Self.usual) }
}
