import DivanJSON

/// What the protocol leaves to each peer, so that a story may be told otherwise than it was recorded.
///
/// Each rule says what may differ, and why; what else differs is named one by one in `StoryDifference`.
enum StoryFreedom {
    /// Whether a property may have this value in place of the recorded one.
    static func allows(_ ours: String?, for theirs: String?, as name: String) -> Bool {
        switch name {
        case "sequence", "since": hasOtherSequences
        case "history": goesBackFurther(ours, theirs)
        default: false
        }
    }

    /// A story does the recorded deeds, each under the next number; the recorded databases counted
    /// what was not told, and store a conflict without a number of its own.
    private static let hasOtherSequences = true

    /// Tree IDs behind the one that the peer holds: it looks no further (`version-vectors.md` §5).
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

    /// Trailing entries of nought may be left out, and often are.
    private static func trimmed(_ answers: [JSON]) -> [JSON] {
        var answers = answers
        while let last = answers.last, last == 0 || last == .null { answers.removeLast() }
        return answers
    }

    /// An answer without what each peer says as it likes.
    ///
    /// A list of bodies that are here says that the revision is wanted; which bodies one keeps as the
    /// source of deltas is one's own affair. A conflict names the current version at least: the rest of
    /// the vector, which Couchbase Lite adds, Sync Gateway leaves out as we do.
    private static func plain(_ answer: JSON) -> JSON {
        if answer.array != nil { return .array([]) }
        guard var object = answer.object, let rev = object["rev"]?.string else { return answer }
        object["rev"] = .string(String(rev.prefix { $0 != "," && $0 != ";" }))
        return .object(object)
    }

    /// What a list names otherwise: which entries are more and which are missing.
    ///
    /// Their order follows from the sequences.
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
