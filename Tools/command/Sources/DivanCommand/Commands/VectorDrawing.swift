import DivanCommandLine
import DivanDatabase
import DivanRevisions
import Foundation

/// The versions of a document as lines for people: who wrote it, when, and what was merged.
struct VectorDrawing {
    private let history: VectorHistory
    private let remotes: [StoredRemote]
    private let source: SourceID

    init(_ history: VectorHistory, remotes: [StoredRemote], source: SourceID) {
        self.history = history
        self.remotes = remotes
        self.source = source
    }

    /// Each stored revision, the current one first, and its history.
    var lines: [String] {
        history.known.flatMap { known -> [String] in
            let (mixed, revision) = known
            let sign = revision.isTombstone ? "✕" : revision.body == nil ? "○" : "●"
            var notes: [String] = []
            if revision.id == history.current?.id { notes.append("current") }
            if revision.isTombstone { notes.append("tombstone") }
            if revision.flags.contains(.conflict) { notes.append("in conflict") }
            for remote in remotes where history.latest(at: remote.id) == revision.id {
                notes.append("on \(remote.name.escapingControlCharacters())")
            }
            if let body = revision.body, !revision.isTombstone {
                notes.append(Numbers.bytes(body.count))
            }
            let text = notes.isEmpty ? "" : "  " + notes.joined(separator: ", ")
            let merged = mixed.vector.merged.map { "  merged  \(described($0))" }
            let previous = mixed.vector.previous.map { "  after   \(described($0))" }
            let legacy = mixed.legacy.filter { $0 != revision.id }.map { "  after   \($0)" }
            let name = revision.id.version.map { described($0) } ?? "\(revision.id)"
            return ["\(sign) \(name)\(text)"] + merged + previous + legacy
        }
    }

    private func described(_ version: Version) -> String {
        let who = version.source == source ? "this database" : version.source.description
        guard version.source != .revisionTree else { return "\(version)" }
        let seconds = TimeInterval(version.time / 1_000_000_000)
        let date = Date(timeIntervalSince1970: seconds).formatted(.iso8601)
        return "\(version)  \(date) by \(who)"
    }
}
