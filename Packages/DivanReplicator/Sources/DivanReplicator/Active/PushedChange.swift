import DivanRevisions

/// One local change being pushed to the peer.
///
/// **Its life.** A change found in the feed is added to a list of proposals. The peer requests it, already has it,
/// refuses it, or has another revision in its place. `RevisionSender` sends requested revisions when the window has
/// room, in full or as a delta. A revision that is forbidden (403) is set aside and tried again after everything else:
/// a later document may grant the right to write it. If the peer has another revision, the change is `disputed`, and
/// `PushConflicts` asks the store what to do: propose another ancestor, take a revision back or graft onto it, wait for
/// a pull that may bring what is missing, or do nothing.
///
/// **What it promises.** A settled change moves the checkpoint (`pass`), unless its answer never came or was a
/// temporary failure: then it is proposed again in the next run. One that awaits the pull counts as done, and is
/// remembered as refused, so that a crash loses neither it nor the progress of the others.
///
/// **What may be reordered.** Answers to lists and to revisions come in any order; at most one change per document is
/// in progress, so each answer meets the state that asked for it. Transitions not listed in `take` cannot happen, and
/// change nothing.
///
/// **What bounds it.** `maximumAttempts` ends a dispute about ancestors; `PushedChanges` limits the number of changes
/// in each state. A lost connection discards all states.
///
/// Source: `replication.md` §5. Drawn in `Docs/states/pushed-change.md`.
enum PushedChange {
    case found
    case proposed
    case sending(isSecondTry: Bool)
    case setAside
    case disputed
    case awaitingPull
    case settled

    enum Event {
        /// It was named in a list.
        case listed
        /// The list was not answered, or its answer cannot be read.
        case unanswered
        case wanted(PeerTerms)
        /// The peer has it; with the peer's sequence, if it said.
        case known(at: UInt64?)
        /// The peer stored it, or had stored it already.
        case delivered(DeltaUse?, at: UInt64?, wasThere: Bool)
        /// It no longer exists or cannot be sent; that was already reported.
        case vanished
        indirect case forbidden(SyncError, OutgoingRevision)
        case refused(SyncError)
        /// Not accepted now, but perhaps later.
        case failed(SyncError)
        /// Everything else is done.
        case restDone(OutgoingRevision)
        /// The peer has another revision.
        case conflict

        // The results of a conflict.
        /// The document has another revision now, or is in conflict: a separate change.
        case overtaken
        case unreadable(SyncError)
        case ancestorFound(RevisionID)
        /// A revision was created that the peer can accept.
        case grafted
        /// The peer's revision has the same content, and cannot be asked to give way.
        case alike
        /// The peer's revision is current here now.
        case tookBack
        case pullMayClear
        case nothingHelps

        // While the pull continues.
        case pulled
        case newerFound
        case runEnded
    }

    /// What a transition requires, done in this order.
    struct Effects: OptionSet {
        let rawValue: Int
        /// Hand it to the sender.
        static let send = Effects(rawValue: 1 << 0)
        /// Keep it for its second try.
        static let keep = Effects(rawValue: 1 << 1)
        /// Name it in the next list, with the ancestor that was found.
        static let propose = Effects(rawValue: 1 << 2)
        /// Report to the application.
        static let report = Effects(rawValue: 1 << 3)
        /// Remember the refusal along with what the peer accepted; that the change counts as done is saved later.
        static let remember = Effects(rawValue: 1 << 4)
        /// Record that the peer has the revision.
        static let mark = Effects(rawValue: 1 << 5)
        /// Its bytes count as transferred.
        static let count = Effects(rawValue: 1 << 6)
        /// The checkpoint may pass it.
        static let pass = Effects(rawValue: 1 << 7)
        /// The checkpoint must no longer pass it.
        static let reopen = Effects(rawValue: 1 << 8)
        /// There is a new change in the feed.
        static let readFeed = Effects(rawValue: 1 << 9)
    }

    /// How often a change is proposed, each time with a different ancestor.
    static let maximumAttempts = 5

    /// The complete behaviour, one line per transition.
    mutating func handle(_ event: Event) -> Effects {
        let effects: Effects
        switch (self, event) {
        case (.found, .listed): (self, effects) = (.proposed, [])
        case (.proposed, .wanted): (self, effects) = (.sending(isSecondTry: false), [.send])
        case (.proposed, .known): (self, effects) = (.settled, [.mark, .count, .pass])
        case (.proposed, .conflict): (self, effects) = (.disputed, [])
        case (.proposed, .refused): (self, effects) = (.settled, [.report, .remember, .pass])
        case (.proposed, .failed): (self, effects) = (.settled, [.report])
        case (.proposed, .unanswered): (self, effects) = (.settled, [])
        case (.sending, .delivered): (self, effects) = (.settled, [.report, .mark, .count, .pass])
        case (.sending, .vanished): (self, effects) = (.settled, [.count, .pass, .readFeed])
        case (.sending, .conflict): (self, effects) = (.disputed, [.count])
        case (.sending(isSecondTry: false), .forbidden): (self, effects) = (.setAside, [.keep])
        case (.sending(isSecondTry: true), .forbidden):
            (self, effects) = (.settled, [.report, .remember, .count, .pass])
        case (.sending, .refused):
            (self, effects) = (.settled, [.report, .remember, .count, .pass])
        case (.sending, .failed): (self, effects) = (.settled, [.report, .count])
        case (.setAside, .restDone): (self, effects) = (.sending(isSecondTry: true), [.send])
        case (.disputed, .overtaken): (self, effects) = (.settled, [.pass])
        case (.disputed, .unreadable): (self, effects) = (.settled, [.report, .pass])
        case (.disputed, .ancestorFound): (self, effects) = (.found, [.propose])
        case (.disputed, .grafted): (self, effects) = (.settled, [.pass, .readFeed])
        case (.disputed, .alike): (self, effects) = (.settled, [.pass])
        case (.disputed, .tookBack): (self, effects) = (.settled, [.pass, .readFeed])
        case (.disputed, .pullMayClear): (self, effects) = (.awaitingPull, [.remember, .pass])
        case (.disputed, .nothingHelps): (self, effects) = (.settled, [.report, .remember, .pass])
        case (.awaitingPull, .ancestorFound): (self, effects) = (.found, [.propose, .reopen])
        case (.awaitingPull, .pulled): (self, effects) = (.settled, [])
        case (.awaitingPull, .newerFound): (self, effects) = (.settled, [])
        case (.awaitingPull, .runEnded): (self, effects) = (.settled, [.report])
        default: effects = []
        }
        return effects
    }

    /// Whether it counts as done, but may be reopened.
    var awaitsPull: Bool {
        if case .awaitingPull = self { true } else { false }
    }

    /// Whether nothing more happens to it in this run.
    var isSettled: Bool {
        if case .settled = self { true } else { false }
    }
}

extension PushedChange.Event {
    /// The event for a verdict on a proposal that has no meaning of its own.
    ///
    /// 500 counts as temporary here: Sync Gateway or Couchbase Lite could not read the document.
    init(refusing status: HTTPStatus) {
        if status == .internalError {
            self = .failed(.http(status, "the peer could not read the document"))
        } else {
            let error = SyncError.http(status, "the peer rejected the revision")
            self = error.isTransient ? .failed(error) : .refused(error)
        }
    }

    /// Why the change did not arrive; `nil` when it did.
    var error: SyncError? {
        switch self {
        case .forbidden(let error, _), .refused(let error), .failed(let error),
            .unreadable(let error):
            error
        case .pullMayClear, .nothingHelps, .runEnded: .rival
        default: nil
        }
    }

    /// How far the peer's sequences had come, if it said.
    var remoteSequence: UInt64? {
        switch self {
        case .known(let sequence), .delivered(_, let sequence, _): sequence
        default: nil
        }
    }

    /// Whether the peer reports the revision as its current one.
    var saysCurrent: Bool {
        switch self {
        case .known: true
        case .delivered(_, let sequence, _): sequence != nil
        default: false
        }
    }

    /// Whether the peer already had the revision, on any branch.
    var wasThere: Bool {
        if case .delivered(_, _, let wasThere) = self { wasThere } else { false }
    }

    /// What to send for a change that was proposed.
    func revision(of proposal: Proposal) -> OutgoingRevision? {
        switch self {
        case .wanted(let terms):
            let known = proposal.ancestor.map { [$0] } ?? []
            return OutgoingRevision(
                change: proposal.change,
                known: known,
                terms: terms,
                number: proposal.number
            )
        case .restDone(let revision): return revision
        default: return nil
        }
    }
}
