import DivanCommandLine
import DivanJSON
import DivanRevisions
import DivanStore

/// Whether the clock that a database names its versions with agrees with this machine's.
struct VersionClockFinding {
    let standing: ClockStanding
    /// The database, as a word for the shell.
    let database: String

    var finding: Finding {
        var finding = verdict
        finding.figures = [
            "clock": .string(ClockText.moment(standing.time)),
            "documentsAhead": JSON(standing.aheadCount),
        ]
        return finding
    }

    private var verdict: Finding {
        if standing.isAhead || standing.aheadCount > 0 { return ahead }
        guard let jump = standing.jump else {
            return .ok("clock", "no version is ahead of this machine's clock")
        }
        return .warning(
            "clock",
            "a save on \(ClockText.moment(jump.to)) was \(jump.dayCount) days ahead of the newest earlier "
                + "save and of every peer's; if this machine's clock was wrong then, peers refuse it",
            "set the clock if it is wrong: timedatectl; then: divan repair-clock \(database)"
        )
    }

    private var ahead: Finding {
        var parts: [String] = []
        if standing.isAhead {
            let span = ClockText.span(standing.time - min(standing.time, standing.wall))
            parts.append(
                "the database's clock is \(span) ahead of this machine's, so peers refuse what is saved"
            )
        }
        if standing.aheadCount > 0 {
            let documents = Numbers.count(standing.aheadCount, "document")
            parts.append("\(documents) with versions from the future, which peers refuse")
        }
        return .warning(
            "clock",
            parts.joined(separator: "; "),
            "set the clock if it is wrong: timedatectl; then: divan repair-clock \(database)"
        )
    }
}
