/// Sums over runs.
public struct Tally: Sendable {
    private var total = Statistics()
    private var editCount = 0
    private var resolutionCount = 0
    private var duration: Duration = .zero
    /// How many conflicts took how many messages.
    private var messagesPerConflict: [Int: Int] = [:]

    /// Creates an empty sum.
    public init() {}

    /// Creates the sum of one run.
    public init(_ outcome: Outcome) {
        add(outcome)
    }

    /// Adds a run.
    public mutating func add(_ outcome: Outcome) {
        total.connectionCount += outcome.statistics.connectionCount
        total.lossCount += outcome.statistics.lossCount
        total.messageCount += outcome.statistics.messageCount
        total.damageCount += outcome.statistics.damageCount
        total.revisionCount += outcome.statistics.revisionCount
        total.deltaCount += outcome.statistics.deltaCount
        editCount += outcome.editCount
        resolutionCount += outcome.resolutionCount
        duration += outcome.duration
        for count in outcome.messagesPerConflict { messagesPerConflict[count, default: 0] += 1 }
    }

    /// The sums in one line.
    public var text: String {
        "\(editCount) edits, \(resolutionCount) conflicts, \(total.revisionCount) revisions "
            + "(\(total.deltaCount) deltas) in \(total.messageCount) frames "
            + "(\(total.damageCount) damaged), \(total.connectionCount) connections "
            + "(\(total.lossCount) lost), \(duration.components.seconds / 3_600) h; \(conflictText)"
    }

    /// The cost of the conflicts that were open when the faults ended.
    private var conflictText: String {
        let count = messagesPerConflict.values.reduce(0, +)
        var passed = 0
        var median = 0
        for (messages, conflicts) in messagesPerConflict.sorted(by: { $0.key < $1.key }) {
            passed += conflicts
            median = messages
            if 2 * passed >= count { break }
        }
        return "\(count) open conflicts, messages for each: median \(median), most "
            + "\(messagesPerConflict.keys.max() ?? 0)"
    }
}

extension Simulation {
    /// The words that repeat this run on the command line.
    public var arguments: String {
        var words = ["--seed \(seed)"]
        if let bug { words.append("--bug \(bug.rawValue)") }
        if fleet != .trees { words.append("--fleet \(fleet.rawValue)") }
        if let peerCount { words.append("--peers \(peerCount)") }
        if let selection {
            words.append("--only " + selection.sorted().map(String.init).joined(separator: ","))
        }
        if !absentNodes.isEmpty {
            words.append(
                "--without " + absentNodes.sorted().map(String.init).joined(separator: ",")
            )
        }
        if isCalm { words.append("--calm") }
        if usesFiles { words.append("--files") }
        return words.joined(separator: " ")
    }
}
