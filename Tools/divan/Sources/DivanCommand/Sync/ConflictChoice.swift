import Divan
import DivanCommandLine
import DivanJSON
import DivanRevisions
import DivanStore
import Synchronization

/// How a command ends conflicts.
enum ConflictChoice: String, CaseIterable, Sendable {
    case standard = "default"
    case local
    case remote
    case merge
    case leave

    static let option = CommandSyntax.Option.value(
        "--conflicts",
        "HOW",
        completion: .word(of: allCases.map(\.rawValue)),
        "default, local, remote, merge or leave (default: default)"
    )

    static let details =
        "Conflicts: default takes a deletion, else the longer history; local and remote take that "
        + "side; merge joins the fields of both sides, by their common ancestor where it is still "
        + "there; leave keeps both for divan conflicts."

    /// Reads the choice.
    static func read(_ arguments: Arguments) throws(Failure) -> ConflictChoice {
        guard let text = arguments.value("--conflicts") else { return .standard }
        guard let choice = ConflictChoice(rawValue: text) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--conflicts \(text): use one of \(names)")
        }
        return choice
    }

    /// The resolver for one collection.
    func resolver(
        for path: CollectionPath,
        _ report: ConflictReport
    ) -> any ConflictResolverProtocol {
        if self == .leave { return ConflictResolver.leaveOpen }
        return ReportingResolver(choice: self, path: path, report: report)
    }
}

/// Tells of conflicts as they end, and counts them.
final class ConflictReport: Sendable {
    private let events: EventLine
    private let settled = Mutex<UInt64>(0)
    let store: Store

    init(_ events: EventLine, _ store: Store) {
        self.events = events
        self.store = store
    }

    /// Conflicts that ended.
    var settledCount: UInt64 { settled.withLock { $0 } }

    func tell(_ documentID: String, in path: CollectionPath, kept: String) {
        settled.withLock { $0 += 1 }
        let what = kept == "merged" ? "merged both sides" : "kept the \(kept) side"
        events.write(
            "conflict",
            [
                "id": .string(documentID), "collection": .string(path.wireName),
                "kept": .string(kept),
            ],
            sentence: "Conflict in \(documentID): \(what)"
        )
    }
}

/// A rule that also tells what it decided.
private struct ReportingResolver: ConflictResolverProtocol, Sendable {
    let choice: ConflictChoice
    let path: CollectionPath
    let report: ConflictReport

    func resolve(conflict: Divan.Conflict) -> Document? {
        let document = decide(conflict)
        let kept: String
        if document == nil {
            kept = "deleted"
        } else if document === conflict.localDocument {
            kept = "local"
        } else {
            kept = document === conflict.remoteDocument ? "remote" : "merged"
        }
        report.tell(conflict.documentID, in: path, kept: kept)
        return document
    }

    private func decide(_ conflict: Divan.Conflict) -> Document? {
        switch choice {
        case .local: conflict.localDocument
        case .remote: conflict.remoteDocument
        case .merge: merge(conflict)
        case .standard, .leave: ConflictResolver.default.resolve(conflict: conflict)
        }
    }

    /// Merges by the stored leaves, which also know the common ancestor.
    private func merge(_ conflict: Divan.Conflict) -> Document? {
        let documentID = conflict.documentID
        let stored = try? report.store.read {
            try $0.conflict(of: DocumentID(unchecked: documentID), in: path)
        }
        guard let stored, let decision = try? ConflictDecision(merging: stored) else {
            return ConflictResolver.default.resolve(conflict: conflict)
        }
        switch decision {
        case .keepLocal: return conflict.localDocument
        case .keepRemote: return conflict.remoteDocument
        case .delete: return nil
        case .merge(let body, _):
            let text = String(decoding: body, as: UTF8.self)
            return try? MutableDocument(id: documentID, json: text)
        }
    }
}
