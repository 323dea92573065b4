import DivanCommandLine
import DivanDatabase
import DivanJSON
import Foundation

/// `divan repair-clock`.
enum RepairClockCommand: Command {
    static let syntax = CommandSyntax(
        name: "repair-clock",
        summary: "repair a database written while the clock was ahead",
        operands: [.database],
        options: [.dryRun, .unneededYes, .json],
        details: """
            Set the clock of this machine first. Peers reject versions that are more than two
            minutes ahead of their clocks. A database that was written while the clock was ahead
            continues from that time.

            This command sets the clock of the database back to that of the machine. Documents
            whose versions are ahead get a new version with the current time and the same content,
            which the next sync pushes.

            Versions that peers already have are kept. Other peers accept them once their time has
            passed. Databases with revision trees have no such clock.
            """,
        examples: ["divan repair-clock travel --dry-run", "divan repair-clock travel"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let isDry = arguments.has("--dry-run")
        let store = try arguments.database.open(forWriting: !isDry)
        defer { try? store.close() }
        guard let standing = try store.clockStanding() else {
            return terminal.done(
                "Nothing to repair: databases with revision trees have no clock",
                members(ClockRepair(), nil)
            )
        }
        guard standing.wall >= earliest else {
            throw Failure(
                kind: .failed,
                sentence: "the clock of this machine is wrong: it shows "
                    + ClockText.moment(standing.wall),
                hint: "set the clock first"
            )
        }
        guard !isDry else {
            return terminal.rehearsed(
                "give \(Numbers.count(standing.aheadCount, "document")) a new version, except "
                    + "those whose versions peers already have",
                [
                    "documents": JSON(standing.aheadCount),
                    "clock": .string(ClockText.moment(standing.time)),
                ]
            )
        }
        let repair = try store.repairClock()
        terminal.done(sentence(repair, standing), members(repair, standing))
    }

    /// 2020: no database is older, so a clock that shows less is wrong, and everything would look ahead of it.
    private static let earliest: UInt64 = 1_577_836_800_000_000_000

    private static func sentence(_ repair: ClockRepair, _ before: ClockStatus) -> String {
        let isIntact =
            repair.restampedCount == 0 && repair.sharedCount == 0 && !before.isAhead
        guard !isIntact else {
            return "Nothing to repair: no version is ahead of this machine's clock ("
                + "\(ClockText.moment(before.wall)))"
        }
        let restamped = Numbers.count(repair.restampedCount, "document")
        // The clock of a restored database was never ahead, only its versions were.
        var sentence =
            repair.setBack < 1_000_000_000
            ? "Gave \(restamped) a new version"
            : "Set the clock back by \(ClockText.span(repair.setBack)), and gave \(restamped) a "
                + "new version"
        if repair.sharedCount > 0 {
            sentence +=
                "; kept the versions of \(Numbers.count(repair.sharedCount, "document")) that "
                + "peers already have"
        }
        return sentence
    }

    private static func members(_ repair: ClockRepair, _ before: ClockStatus?) -> JSONObject {
        [
            "restamped": JSON(repair.restampedCount), "shared": JSON(repair.sharedCount),
            "clockBefore": before.map { .string(ClockText.moment($0.time)) } ?? .null,
            "clock": before.map { .string(ClockText.moment($0.wall)) } ?? .null,
        ]
    }
}

/// Times of versions for people, from nanoseconds since 1970.
enum ClockText {
    /// Returns `2026-11-20T08:00:00Z`.
    static func moment(_ time: UInt64) -> String {
        Days.moment(Date(timeIntervalSince1970: Double(time / 1_000_000_000)))
    }

    /// Returns `3 days`, or a smaller unit if it is less than two of them; rounded to the nearest.
    static func span(_ nanoseconds: UInt64) -> String {
        let seconds = Int(nanoseconds / 1_000_000_000)
        for (unit, name) in [(86_400, "days"), (3_600, "hours"), (60, "minutes")]
        where seconds >= 2 * unit {
            return "\((seconds + unit / 2) / unit) \(name)"
        }
        return Numbers.count(seconds, "second")
    }
}
