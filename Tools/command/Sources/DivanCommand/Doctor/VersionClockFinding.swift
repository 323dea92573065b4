import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanRevisions

/// Whether the clock of a database's version vectors agrees with this machine's clock.
struct VersionClockFinding {
    let standing: ClockStatus
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
            "a save on \(ClockText.moment(jump.to)) was \(jump.dayCount) days later than all saves "
                + "before it; if this machine's clock was wrong, peers refuse it",
            remedy
        )
    }

    private var remedy: String {
        "correct the clock if it is wrong ('timedatectl'), then run 'divan repair-clock "
            + "\(database)'"
    }

    private var ahead: Finding {
        var parts: [String] = []
        if standing.isAhead {
            let span = ClockText.span(standing.time - min(standing.time, standing.wall))
            parts.append(
                "the database's clock is \(span) ahead of this machine's; peers refuse new changes"
            )
        }
        if standing.aheadCount > 0 {
            let documents = Numbers.count(standing.aheadCount, "document")
            parts.append("\(documents) with versions in the future, which peers refuse")
        }
        return .warning("clock", parts.joined(separator: "; "), remedy)
    }
}
