import DivanJSON
import DivanRevisions
import DivanStore

/// The documents of a collection whose last revision at the peer could not be pulled, in this run or an earlier one.
///
/// The checkpoint has passed them. They are recorded with the reason, and each subscription asks for some of them
/// again, which Divan peers understand. With other peers, `PeerConfiguration.ActiveOptions.retriesRefused` starts the
/// pull before the first of them.
final class FailedPulls {
    private let collection: Int
    private let options: PeerConfiguration.CollectionOptions
    private let connection: Connection
    private let remarks: PeerReports
    private var known: Set<DocumentID>
    /// Those that the peer is to announce again, and has not yet.
    private var asked: Set<DocumentID> = []
    private let earlier: [Refusal]

    /// Reads what is recorded.
    init(
        _ collection: Int,
        _ options: PeerConfiguration.CollectionOptions,
        _ remarks: PeerReports,
        over connection: Connection
    ) throws {
        self.collection = collection
        self.options = options
        self.connection = connection
        self.remarks = remarks
        var earlier: [Refusal] = []
        if let remote = connection.remote {
            earlier = try connection.store.read {
                try $0.failedPulls(in: options.path, from: remote)
            }
        }
        self.earlier = earlier
        known = Set(earlier.map(\.documentID))
    }

    /// Where a pull must start so that the peer announces all of them again, if it would start after `position`; `nil`
    /// is the beginning.
    func start(before position: RemoteSequence?) -> RemoteSequence? {
        guard let first = earlier.map(\.sequence).min() else { return position }
        guard first > 1 else { return nil }
        if let reached = position?.number, reached < first { return position }
        return RemoteSequence(first - 1)
    }

    /// The documents that a subscription names, as a JSON array; `nil` if there are none.
    ///
    /// The ones that failed longest ago first, so that each has its turn.
    func request(_ limits: ReplicatorLimits) -> String? {
        var writer = JSONWriter()
        writer.beginArray()
        asked = []
        var byteCount = 0
        for failure in earlier.sorted(by: { $0.time < $1.time })
        where isWanted(failure) && !failure.isTooLarge {
            byteCount += failure.documentID.text.utf8.count
            guard asked.count < limits.repeatedDocumentsCount,
                byteCount <= limits.repeatedDocumentsByteCount
            else { break }
            asked.insert(failure.documentID)
            writer.string(failure.documentID.text)
        }
        writer.endArray()
        return asked.isEmpty ? nil : String(decoding: writer.bytes, as: UTF8.self)
    }

    private func isWanted(_ failure: Refusal) -> Bool {
        options.documentIDs.isEmpty || options.documentIDs.contains(failure.documentID)
    }

    /// The peer answered the subscription; `repeats` if it announces the requested documents.
    func subscribed(after since: RemoteSequence?, repeats: Bool) {
        if !repeats { asked = [] }
        let end = since.map { $0.number ?? .max } ?? 0
        for failure in earlier where isWanted(failure) {
            // Its last sequence may be later, but not earlier.
            if since == nil || failure.sequence > end { asked.insert(failure.documentID) }
        }
        asked.formIntersection(known)
    }

    /// The peer announced a document; `isWanted` if its revision was requested.
    func announced(_ documentID: DocumentID, isWanted: Bool) {
        guard !known.isEmpty else { return }
        asked.remove(documentID)
        if !isWanted { settle(documentID) }
    }

    /// The peer has announced everything: what it was asked about and did not announce no longer exists there.
    func caughtUp() {
        defer { asked = [] }
        // Channels may hide documents.
        guard options.channels.isEmpty else { return }
        for documentID in asked { settle(documentID) }
    }

    /// A revision could not be pulled.
    func note(
        _ documentID: DocumentID,
        _ revisionID: RevisionID?,
        _ sequence: RemoteSequence?,
        _ error: SyncError
    ) {
        asked.remove(documentID)
        // A filter of this side decides anew in each run.
        guard error != .rejected, let revisionID,
            known.contains(documentID) || known.count < StoreLimits.refusalCount
        else { return }
        known.insert(documentID)
        let failure = Refusal(
            documentID: documentID,
            revisionID: revisionID,
            sequence: sequence?.number ?? 0,
            error: error,
            time: connection.configuration.secondsSince1970()
        )
        remarks.add(PeerReports.PullResult(documentID, in: collection, failure))
    }

    /// A document was pulled, or need not be any more.
    func settle(_ documentID: DocumentID) {
        guard !known.isEmpty, known.remove(documentID) != nil else { return }
        remarks.add(PeerReports.PullResult(documentID, in: collection, nil))
    }
}

extension Refusal {
    /// Whether a limit of this peer excluded the document, so that it would be sent in vain each time.
    fileprivate var isTooLarge: Bool { SyncError(self).wireCode == .http(.contentTooLarge) }
}
