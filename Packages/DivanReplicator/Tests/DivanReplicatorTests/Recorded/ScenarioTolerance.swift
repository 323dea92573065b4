import DivanJSON

/// Differences that the protocol permits between a scenario and its recording.
///
/// Each rule states what may differ, and why; all other differences are listed one by one in `ScenarioDifference`.
enum ScenarioTolerance {
    /// Whether a property may have this value instead of the recorded one.
    static func allows(_ ours: String?, for theirs: String?, as name: String) -> Bool {
        switch name {
        case "sequence", "since": hasOtherSequences
        case "history": goesBackFurther(ours, theirs)
        default: false
        }
    }

    /// A scenario repeats the recorded actions, each with the next sequence; the recorded databases also counted
    /// unrecorded ones, and store a conflict without its own sequence.
    private static let hasOtherSequences = true

    /// Tree IDs behind the one that the peer holds, which it does not examine (`version-vectors.md` §5).
    ///
    /// Upgraded databases of Couchbase Lite have forgotten them, ours remember the branch.
    private static func goesBackFurther(_ ours: String?, _ theirs: String?) -> Bool {
        guard let ours, ours.hasPrefix(theirs ?? "") else { return false }
        return ours.dropFirst(theirs?.count ?? 0).allSatisfy { $0 != "@" }
    }

    /// Whether an answer may be this one.
    static func allows(_ ours: JSON?, for theirs: JSON?) -> Bool {
        guard let ours = ours?.array, let theirs = theirs?.array else { return false }
        return trimmed(ours.map(plain)) == trimmed(theirs.map(plain))
    }

    /// Trailing zero entries may be omitted, and often are.
    private static func trimmed(_ answers: [JSON]) -> [JSON] {
        var answers = answers
        while let last = answers.last, last == 0 || last == .null { answers.removeLast() }
        return answers
    }

    /// An answer without the parts that each peer may choose.
    ///
    /// A list of stored bodies says that the revision is wanted; each peer decides which bodies it keeps as sources of
    /// deltas. A conflict names at least the current version: the rest of the vector, which Couchbase Lite adds, is
    /// omitted by Sync Gateway and by us.
    private static func plain(_ answer: JSON) -> JSON {
        if answer.array != nil { return .array([]) }
        guard var object = answer.object, let rev = object["rev"]?.string else { return answer }
        object["rev"] = .string(String(rev.prefix { $0 != "," && $0 != ";" }))
        return .object(object)
    }

    /// Differences between two lists: additional and missing entries.
    ///
    /// Their order is determined by the sequences.
    static func differences(
        _ ours: [[JSON]],
        from theirs: [[JSON]],
        in profile: String
    ) -> [String] {
        let firstItem = profile == "changes" ? 1 : 0
        let (here, there) = (ours.map { text($0, firstItem) }, theirs.map { text($0, firstItem) })
        let more = here.filter { !there.contains($0) }.map { "names \($0)" }
        let missing = there.filter { !here.contains($0) }.map { "lacks \($0)" }
        return more + missing
    }

    private static func text(_ entry: [JSON], _ firstItem: Int) -> String {
        entry.dropFirst(firstItem).map { $0.string ?? "?" }.joined(separator: " ")
    }
}
