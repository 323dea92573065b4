import Divan
import DivanCommandLine
import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanStore
import Foundation

/// What a peer lacks, and what it does not want, on its way to the screen.
struct PendingAnswer {
    let remote: String
    let pending: [(path: CollectionPath, documentIDs: [DocumentID])]
    let refused: [(path: CollectionPath, refusals: [Refusal])]

    private var count: Int { pending.reduce(0) { $0 + $1.documentIDs.count } }
    private var refusedCount: Int { refused.reduce(0) { $0 + $1.refusals.count } }

    /// Prints one line for each document, or one of figures.
    func show(onlyCount: Bool, _ terminal: Terminal) throws {
        if onlyCount { return showCount(terminal) }
        terminal.note("\(PeerURL.text(remote)): \(figures)")
        try terminal.results { write in
            for (path, documentIDs) in pending {
                for documentID in documentIDs {
                    try write(line(documentID, path, isJSON: terminal.isJSON))
                }
            }
            for (path, refusals) in refused {
                for refusal in refusals {
                    try write(line(refusal, path, isJSON: terminal.isJSON))
                }
            }
        }
    }

    private var figures: String {
        let pending = Numbers.count(count, "document")
        return refusedCount == 0 ? pending : "\(pending), \(Numbers.grouped(refusedCount)) refused"
    }

    private func showCount(_ terminal: Terminal) {
        guard terminal.isJSON else {
            let refused = refusedCount == 0 ? "" : "  \(Numbers.grouped(refusedCount)) refused"
            let line = "\(Numbers.grouped(count))  \(PeerURL.text(remote))\(refused)"
            return terminal.result(line.escapingControlCharacters())
        }
        let object: JSON = [
            "peer": .string(PeerURL.text(remote)), "count": JSON(count),
            "refused": JSON(refusedCount),
        ]
        terminal.result(object.canonicalText)
    }

    private func line(_ documentID: DocumentID, _ path: CollectionPath, isJSON: Bool) -> String {
        guard isJSON else { return "\(path.wireName)/\(documentID)".escapingControlCharacters() }
        return JSON.object(JSONObject(members(documentID, path))).canonicalText
    }

    private func line(_ refusal: Refusal, _ path: CollectionPath, isJSON: Bool) -> String {
        let error = SyncError(refusal)
        let (code, reason) = (error.publicCode, error.description)
        guard isJSON else {
            return "\(path.wireName)/\(refusal.documentID)  refused, \(code): \(reason)"
                .escapingControlCharacters()
        }
        let date = Date(timeIntervalSince1970: Double(refusal.time))
        let members: [(key: String, value: JSON)] = [
            ("refused", .bool(true)), ("revision", .string(refusal.revisionID.description)),
            ("code", JSON(code)), ("error", .string(reason)),
            ("refusedAt", .string(Days.exactly(date))),
        ]
        return JSON.object(JSONObject(self.members(refusal.documentID, path) + members))
            .canonicalText
    }

    private func members(
        _ documentID: DocumentID,
        _ path: CollectionPath
    ) -> [(key: String, value: JSON)] {
        [
            ("peer", .string(PeerURL.text(remote))),
            ("collection", .string(path.wireName)), ("id", .string(documentID.text)),
        ]
    }
}

extension SyncError {
    /// The number that the API, and `document` events, give this error.
    fileprivate var publicCode: Int {
        switch domain {
        case .webSocket: CBLError.httpBase + code
        case .network: CBLError.networkBase + code
        default: code
        }
    }
}
