/// An incoming revision, from its request to the transaction that stores it.
///
/// **Its life.** It is `requested` when its announcement is answered, or when it arrives without a request. Its body is
/// checked on arrival; missing blobs are fetched first (`incomplete`). What is `ready` is stored with everything else
/// that has arrived, and then answered. A peer may also say that it cannot send it, or withdraw the document while the
/// revision is here. Where larger transactions pay off, a revision that is ready is answered at once and `gathered`
/// (`Inbox.gather`).
///
/// **What it promises.** Each is answered once. The checkpoint passes what is `settled`: stored, known, or refused for
/// a permanent reason. What is `lost`, with its transaction, to a full disk or for lack of room, is announced again in
/// the next run.
///
/// **What may be reordered.** A revision that waits for blobs is overtaken by those that do not; `RemoteOrder` and
/// `Withdrawals` decide by sequences what is outdated by then.
///
/// **What bounds it.** `ReplicatorLimits.requestedRevisionsCount`, and for those waiting for blobs
/// `parkedRevisionsCount` and `parkedByteCount`. A lost connection discards all but those that are ready.
///
/// A passive peer has no checkpoint and resolves nothing: there the life ends when the revision is ready, and the
/// sender is answered with the store's result.
///
/// Source: `replication.md` §4. Drawn in `Docs/states/pulled-revision.md`.
enum PulledRevision {
    case requested
    case incomplete(missingCount: Int)
    case ready
    /// Answered, and stored together with later ones.
    case gathered
    case settled
    case lost

    enum Event {
        case arrived(missingCount: Int)
        /// A delta that cannot be applied: the full body comes next.
        indirect case misfit(SyncError)
        indirect case refused(SyncError)
        /// Refused for lack of room, or for a temporary reason.
        indirect case postponed(SyncError)
        /// The peer cannot send it; the document is gone, or has a newer revision.
        case gone
        /// The peer cannot send it for another reason.
        indirect case unavailable(SyncError)
        case blobArrived
        /// Its transaction waits for more.
        case held
        /// The document was withdrawn after the revision was sent.
        case withdrawn

        // The store's results.
        case stored
        case storedInConflict
        case known
        /// It lost here, and the peer must be notified of our revision.
        case givenUp
        indirect case failed(SyncError)
        indirect case rolledBack(SyncError)
    }

    /// What a transition requires.
    struct Effects: OptionSet {
        let rawValue: Int
        /// Request the missing blobs.
        static let fetch = Effects(rawValue: 1 << 0)
        /// Store it with the next transaction.
        static let store = Effects(rawValue: 1 << 1)
        static let answer = Effects(rawValue: 1 << 2)
        static let refuse = Effects(rawValue: 1 << 3)
        /// Report to the application.
        static let report = Effects(rawValue: 1 << 4)
        /// Ask a resolver.
        static let resolve = Effects(rawValue: 1 << 5)
        /// What is recorded about the document at the peer is reliable.
        static let trust = Effects(rawValue: 1 << 6)
        /// A push that the peer refused because this revision was missing may succeed now.
        static let retryPush = Effects(rawValue: 1 << 7)
        /// There is something to push.
        static let readFeed = Effects(rawValue: 1 << 8)
        /// The checkpoint may pass it.
        static let pass = Effects(rawValue: 1 << 9)
    }

    /// The complete behaviour, one line per transition.
    mutating func handle(_ event: Event) -> Effects {
        let effects: Effects
        switch (self, event) {
        case (.requested, .arrived(let count)) where count == 0:
            (self, effects) = (.ready, [.store])
        case (.requested, .arrived(let count)):
            (self, effects) = (.incomplete(missingCount: count), [.fetch])
        case (.requested, .misfit): (self, effects) = (.requested, [.refuse])
        case (.requested, .refused): (self, effects) = (.settled, [.refuse, .report, .pass])
        case (.requested, .postponed): (self, effects) = (.lost, [.refuse, .report])
        case (.requested, .gone): (self, effects) = (.settled, [.answer, .pass])
        case (.requested, .unavailable): (self, effects) = (.settled, [.answer, .report, .pass])
        case (.incomplete(let count), .blobArrived) where count == 1:
            (self, effects) = (.ready, [.store])
        case (.incomplete(let count), .blobArrived):
            (self, effects) = (.incomplete(missingCount: count - 1), [])
        case (.incomplete, .failed): (self, effects) = (.settled, [.refuse, .report, .pass])
        case (.incomplete, .rolledBack): (self, effects) = (.lost, [.refuse, .report])
        case (.ready, .withdrawn): (self, effects) = (.settled, [.answer, .pass])
        case (.ready, .stored):
            (self, effects) = (.settled, [.answer, .report, .trust, .retryPush, .pass])
        case (.ready, .storedInConflict):
            (self, effects) = (.settled, [.answer, .resolve, .trust, .retryPush, .pass])
        case (.ready, .known): (self, effects) = (.settled, [.answer, .retryPush, .pass])
        case (.ready, .givenUp): (self, effects) = (.settled, [.answer, .readFeed, .pass])
        case (.ready, .failed): (self, effects) = (.settled, [.refuse, .report, .pass])
        case (.ready, .rolledBack): (self, effects) = (.lost, [.refuse, .report])
        case (.ready, .held): (self, effects) = (.gathered, [.answer])
        case (.gathered, .withdrawn): (self, effects) = (.settled, [.pass])
        case (.gathered, .stored):
            (self, effects) = (.settled, [.report, .trust, .retryPush, .pass])
        case (.gathered, .storedInConflict):
            (self, effects) = (.settled, [.resolve, .trust, .retryPush, .pass])
        case (.gathered, .known): (self, effects) = (.settled, [.retryPush, .pass])
        case (.gathered, .givenUp): (self, effects) = (.settled, [.readFeed, .pass])
        case (.gathered, .failed): (self, effects) = (.settled, [.report, .pass])
        case (.gathered, .rolledBack): (self, effects) = (.lost, [.report])
        default: effects = []
        }
        return effects
    }

    /// Whether nothing more happens to it in this run.
    var isOver: Bool {
        switch self {
        case .settled, .lost: true
        case .requested, .incomplete, .ready, .gathered: false
        }
    }
}

extension PulledRevision.Event {
    /// Why it was not stored; `nil` if there is no error.
    var error: SyncError? {
        switch self {
        case .misfit(let error), .refused(let error), .postponed(let error),
            .unavailable(let error), .failed(let error), .rolledBack(let error):
            error
        default: nil
        }
    }

    /// The event for an error found on arrival.
    init(refusing error: SyncError) {
        self =
            error.refusesDelta
            ? .misfit(error) : error.isTransient ? .postponed(error) : .refused(error)
    }

    /// The event for its result in the store.
    init(_ result: RevisionResult) {
        self =
            switch result {
            case .inserted(_, isConflict: true, _): .storedInConflict
            case .inserted: .stored
            case .alreadyThere, .overtaken: .known
            case .givenUp: .givenUp
            case .failed(let error, let isLost):
                isLost || error.isTransient ? .rolledBack(error) : .failed(error)
            }
    }
}
