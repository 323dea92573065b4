import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanLog
import Synchronization

/// How a command resolves conflicts.
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
        "conflict resolution: default, local, remote, merge or leave"
    )

    /// Reads the choice.
    static func read(_ arguments: Arguments) throws(Failure) -> ConflictChoice {
        guard let text = arguments.value("--conflicts") else { return .standard }
        guard let choice = ConflictChoice(rawValue: text) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("invalid value '\(text)' for '--conflicts'", hint: "use one of \(names)")
        }
        return choice
    }

    /// The resolver for one collection.
    func resolver(
        for name: CollectionName,
        _ report: ConflictReport
    ) -> any ConflictResolverProtocol {
        if self == .leave { return ConflictResolver.leaveOpen }
        return ReportingResolver(choice: self, collection: name, report: report)
    }
}

/// Reports conflicts as they are resolved, and counts them.
final class ConflictReport: Sendable {
    private let events: EventLine?
    private let settled = Mutex<UInt64>(0)

    /// `nil` only counts.
    init(_ events: EventLine? = nil) {
        self.events = events
    }

    /// Conflicts that were resolved.
    var settledCount: UInt64 { settled.withLock { $0 } }

    func add(_ documentID: String, in collection: CollectionName, kept: String) {
        settled.withLock { $0 += 1 }
        let outcome =
            switch kept {
            case "merged": "merged both revisions"
            case "deleted": "deleted the document"
            default: "kept the \(kept) revision"
            }
        let id = LogSinks.redaction.user(documentID)
        events?.write(
            "conflict",
            [
                "id": .string(id), "collection": .string("\(collection)"),
                "kept": .string(kept),
            ],
            sentence: "Conflict in \(id): \(outcome)"
        )
    }
}

/// A resolver that also reports its decisions.
private struct ReportingResolver: ConflictResolverProtocol, Sendable {
    let choice: ConflictChoice
    let collection: CollectionName
    let report: ConflictReport

    func resolve(conflict: CouchbaseLiteSwift.Conflict) -> Document? {
        let document = decide(conflict)
        let kept: String
        if document == nil {
            kept = "deleted"
        } else if document === conflict.localDocument {
            kept = "local"
        } else {
            kept = document === conflict.remoteDocument ? "remote" : "merged"
        }
        report.add(conflict.documentID, in: collection, kept: kept)
        return document
    }

    private func decide(_ conflict: CouchbaseLiteSwift.Conflict) -> Document? {
        switch choice {
        case .local: conflict.localDocument
        case .remote: conflict.remoteDocument
        case .merge: ConflictResolver.fieldMerge.resolve(conflict: conflict)
        case .standard, .leave: ConflictResolver.default.resolve(conflict: conflict)
        }
    }
}
