import DivanJSON
import DivanPlatform

/// Times in a readable form; counted in milliseconds since 1970.
package enum Moment {
    /// Characters of `text(_:)`.
    package static let characterCount = 24

    /// Returns `2026-11-20T08:00:00.000Z`.
    package static func text(_ milliseconds: Int64) -> String {
        ISO8601.format(secondsSince1970: Double(milliseconds) / 1000)
    }

    /// Returns `08:00:00Z`.
    package static func timeOfDay(_ milliseconds: Int64) -> String {
        text(milliseconds).dropFirst(11).prefix(8) + "Z"
    }

    /// The current time.
    package static func now() -> Int64 {
        WallClock.milliseconds()
    }
}
