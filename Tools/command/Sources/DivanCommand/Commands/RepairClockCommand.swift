import DivanCommandLine
import DivanJSON
import DivanStore
import Foundation

/// `divan repair-clock`.
enum RepairClockCommand: Command {
    static let syntax = CommandSyntax(
        name: "repair-clock",
        summary: "repair a database written while the clock was ahead",
        operands: [.database],
        options: [.dryRun, .yes, .json],
        details: """
            Set the clock of this machine first. Peers refuse versions that are more than two minutes
            ahead of their clocks, and a database written while the clock was ahead goes on from there.

            Sets the clock of the database back to that of the machine, and gives documents whose
            versions are ahead a new version with the present time and the same content. The next
            sync pushes them.

            Versions that a peer has already are kept. A peer that does not have them accepts them
            once their time has passed. A database with revision trees has no such clock.
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
                "Nothing to repair: the database has revision trees, which have no clock",
                members(ClockRepair(), nil)
            )
        }
        guard standing.wall >= earliest else {
            throw Failure(
                kind: .failed,
                sentence:
                    "the clock of this machine shows \(ClockText.moment(standing.wall)); set it first"
            )
        }
        guard !isDry else {
            return terminal.rehearsed(
                "restamp \(Numbers.count(standing.aheadCount, "document")), except what peers have already",
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

    private static func sentence(_ repair: ClockRepair, _ before: ClockStanding) -> String {
        let isIntact =
            repair.restampedCount == 0 && repair.sharedCount == 0 && !before.isAhead
        guard !isIntact else {
            return "Nothing to repair: no version is ahead of this machine's clock, which shows "
                + ClockText.moment(before.wall)
        }
        let restamped = Numbers.count(repair.restampedCount, "document")
        var sentence =
            "Set the clock back by \(ClockText.span(repair.setBack)); restamped \(restamped)"
        if repair.sharedCount > 0 {
            sentence +=
                "; kept the versions of \(Numbers.count(repair.sharedCount, "document")) that peers have already"
        }
        return sentence
    }

    private static func members(_ repair: ClockRepair, _ before: ClockStanding?) -> JSONObject {
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
