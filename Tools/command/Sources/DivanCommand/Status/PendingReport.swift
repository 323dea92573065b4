import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanReplicator
import DivanRevisions
import Foundation

/// A document that a peer refused, or that could not be pulled from it.
struct RefusedDocument {
    let documentID: DocumentID
    let revisionID: RevisionID
    let error: SyncError
    /// Seconds since 1970.
    let time: Int64
}

/// The documents that a peer does not have yet, those that it refused, and those that could not be pulled from it,
/// prepared for output.
struct PendingReport {
    let remote: String
    let pending: [(name: CollectionName, documentIDs: [DocumentID])]
    let refused: [(name: CollectionName, refusals: [RefusedDocument])]
    let notPulled: [(name: CollectionName, refusals: [RefusedDocument])]

    private var count: Int { pending.reduce(0) { $0 + $1.documentIDs.count } }
    private var refusedCount: Int { refused.reduce(0) { $0 + $1.refusals.count } }
    private var notPulledCount: Int { notPulled.reduce(0) { $0 + $1.refusals.count } }

    /// Prints one line per document, or one with the figures.
    func show(onlyCount: Bool, _ terminal: Terminal) throws {
        if onlyCount { return showCount(terminal) }
        terminal.note("\(PeerURL.text(remote)): \(figures)")
        try terminal.results { write in
            for (name, documentIDs) in pending {
                for documentID in documentIDs {
                    try write(line(documentID, name, isJSON: terminal.isJSON))
                }
            }
            for (name, refusals) in refused {
                for refusal in refusals {
                    try write(line(refusal, name, isPull: false, isJSON: terminal.isJSON))
                }
            }
            for (name, failures) in notPulled {
                for failure in failures {
                    try write(line(failure, name, isPull: true, isJSON: terminal.isJSON))
                }
            }
        }
    }

    private var figures: String {
        ([Numbers.count(count, "document")] + failureFigures).joined(separator: ", ")
    }

    private var failureFigures: [String] {
        [(refusedCount, "refused"), (notPulledCount, "not pulled")].filter { $0.0 > 0 }
            .map { "\(Numbers.grouped($0.0)) \($0.1)" }
    }

    private func showCount(_ terminal: Terminal) {
        guard terminal.isJSON else {
            let failures = failureFigures.map { "  \($0)" }.joined()
            let line = "\(Numbers.grouped(count))  \(PeerURL.text(remote))\(failures)"
            return terminal.result(line.escapingControlCharacters())
        }
        let object: JSON = [
            "peer": .string(PeerURL.text(remote)), "count": JSON(count),
            "refused": JSON(refusedCount), "notPulled": JSON(notPulledCount),
        ]
        terminal.result(object.canonicalText)
    }

    private func line(_ documentID: DocumentID, _ name: CollectionName, isJSON: Bool) -> String {
        guard isJSON else { return "\(name)/\(documentID)".escapingControlCharacters() }
        return JSON.object(JSONObject(members(documentID, name))).canonicalText
    }

    private func line(
        _ refusal: RefusedDocument,
        _ name: CollectionName,
        isPull: Bool,
        isJSON: Bool
    ) -> String {
        let (code, reason) = (refusal.error.publicCode, refusal.error.description)
        guard isJSON else {
            let result = isPull ? "not pulled" : "refused"
            return "\(name)/\(refusal.documentID)  \(result), \(code): \(reason)"
                .escapingControlCharacters()
        }
        let date = Date(timeIntervalSince1970: Double(refusal.time))
        let members: [(key: String, value: JSON)] = [
            (isPull ? "notPulled" : "refused", .bool(true)),
            ("revision", .string(refusal.revisionID.description)),
            ("code", JSON(code)), ("error", .string(reason)),
            (isPull ? "failedAt" : "refusedAt", .string(Days.exactly(date))),
        ]
        return JSON.object(JSONObject(self.members(refusal.documentID, name) + members))
            .canonicalText
    }

    private func members(
        _ documentID: DocumentID,
        _ name: CollectionName
    ) -> [(key: String, value: JSON)] {
        [
            ("peer", .string(PeerURL.text(remote))),
            ("collection", .string("\(name)")), ("id", .string(documentID.text)),
        ]
    }
}

extension SyncError {
    /// The number of this error in the API and in `document` events.
    fileprivate var publicCode: Int {
        switch domain {
        case .webSocket: CBLError.httpBase + code
        case .network: CBLError.networkBase + code
        default: code
        }
    }
}
