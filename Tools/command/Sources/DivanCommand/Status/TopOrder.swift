import DivanCommandLine
import DivanJSON

/// The order of the lines of `divan top`.
struct TopOrder {
    /// What the lines are sorted by.
    enum Column: CaseIterable {
        /// The order in which they are found: by database.
        case database
        case documents
        case documentRate
        case byteRate
        case pending
        case conflicts

        /// The title of the column in the table.
        fileprivate var title: String {
            switch self {
            case .database: "DATABASE"
            case .documents: "DOCS"
            case .documentRate: "DOCS/S"
            case .byteRate: "BYTES/S"
            case .pending: "PENDING"
            case .conflicts: "CONFL"
            }
        }

        /// The number of a line in the column.
        fileprivate func number(of line: TopLine) -> UInt64 {
            switch self {
            case .database: 0
            case .documents: line.documentCount
            case .documentRate: line.documentRate
            case .byteRate: line.byteRate
            case .pending: line.pendingCount ?? 0
            case .conflicts: line.conflictCount ?? 0
            }
        }
    }

    private(set) var column = Column.database
    /// Whether the least numbers come first, or the last databases.
    var isReversed = false

    /// Sorts by the next column, the greatest numbers first.
    mutating func selectNext() {
        let columns = Column.allCases
        let place = columns.firstIndex(of: column) ?? 0
        column = columns[(place + 1) % columns.count]
        isReversed = false
    }

    /// The entries in this order; equal ones stay in theirs.
    func sorted(_ entries: [RunningDatabases.Entry]) -> [RunningDatabases.Entry] {
        guard column != .database else { return isReversed ? entries.reversed() : entries }
        let numbered = entries.enumerated().map { place, entry in
            (place, column.number(of: TopLine(entry)), entry)
        }
        return numbered.sorted { left, right in
            if left.1 != right.1 { return (left.1 > right.1) != isReversed }
            return left.0 < right.0
        }.map(\.2)
    }

    /// For the heading; empty for the usual order.
    var text: String {
        guard column != .database || isReversed else { return "" }
        return ", by \(column.title)\(isReversed ? " reversed" : "")"
    }
}

/// The sums of the lines that are shown.
struct TopTotals {
    private var documentRate: UInt64 = 0
    private var byteRate: UInt64 = 0
    private var pending: UInt64 = 0
    private var conflicts: UInt64 = 0

    init(_ entries: [RunningDatabases.Entry]) {
        var conflictCounts: [ExactText: UInt64] = [:]
        // Other programs write the numbers; a sum must not trap.
        for entry in entries {
            let line = TopLine(entry)
            documentRate &+= line.documentRate
            byteRate &+= line.byteRate
            pending &+= line.pendingCount ?? 0
            // Each replicator of a database counts the same conflicts.
            conflictCounts[entry.name.bundle, default: 0] =
                max(conflictCounts[entry.name.bundle] ?? 0, line.conflictCount ?? 0)
        }
        conflicts = conflictCounts.values.reduce(0, &+)
    }

    /// For the heading; without numbers that are zero.
    var text: String {
        var parts: [String] = []
        if documentRate > 0 { parts.append("\(Numbers.grouped(documentRate)) docs/s") }
        if byteRate > 0 { parts.append("\(Numbers.bytes(byteRate))/s") }
        if pending > 0 { parts.append("\(Numbers.grouped(pending)) pending") }
        if conflicts > 0 { parts.append("\(Numbers.grouped(conflicts)) in conflict") }
        return parts.isEmpty ? "" : "  " + parts.joined(separator: ", ")
    }
}
