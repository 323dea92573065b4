import DivanRevisions

/// One local change on its way to the peer.
///
/// **Its life.** A change that is found in the feed is named in a list of proposals. The peer wants
/// it, has it, refuses it, or has another revision in its place. What it wants, `RevisionSender` sends
/// when the window has room, whole or as a difference, until it is answered. A revision that is
/// forbidden (403) is set aside and gets a second try after all else: a document that follows may
/// bring the right to write it. Where the peer has another revision the change is `disputed`, and
/// `PushRivals` asks the store what follows: another ancestor to propose, a revision to take back or
/// to graft onto, a pull that may bring what is missing, or nothing.
///
/// **What it promises.** A change that is settled moves the checkpoint (`pass`), unless its answer
/// never came or was a temporary failure: it is proposed anew in the next run then. One that
/// awaits the pull counts as done, and is remembered as refused: a crash must not lose the rest, and
/// must not lose it either.
///
/// **What may be reordered.** Answers to lists and to revisions come in any order; of one document at
/// most one change is under way, so each answer meets the state that asked for it. What is not
/// listed in `take` cannot happen, and changes nothing.
///
/// **What bounds it.** `maximumAttempts` ends a dispute about ancestors; how many changes live in
/// which state is bounded in `PushedChanges`. A lost connection forgets every state.
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
        /// The list was not answered, or not in a way that can be read.
        case unanswered
        case wanted(PeerTerms)
        /// The peer has it; with the peer's sequence, if it said.
        case known(at: UInt64?)
        /// The peer stored it, or had stored it before.
        case delivered(DeltaUse?, at: UInt64?, wasThere: Bool)
        /// It is gone, or cannot be sent; that was told already.
        case vanished
        indirect case forbidden(SyncError, OutgoingRevision)
        case refused(SyncError)
        /// Not taken now, but perhaps later.
        case failed(SyncError)
        /// All else is done.
        case restDone(OutgoingRevision)
        /// The peer has another revision.
        case conflict

        // What follows from a conflict.
        /// The document has another revision by now, or is in conflict: a change of its own.
        case overtaken
        case unreadable(SyncError)
        case ancestorFound(RevisionID)
        /// A revision was made that the peer can take.
        case grafted
        /// The peer's revision says the same, and cannot be told to give way.
        case alike
        /// The peer's revision is current here now.
        case tookBack
        case pullMayClear
        case nothingHelps

        // While the pull goes on.
        case pulled
        case newerFound
        case runEnded
    }

    /// What a transition asks for, done in this order.
    struct Effects: OptionSet {
        let rawValue: Int
        /// Hand it to the sender.
        static let send = Effects(rawValue: 1 << 0)
        /// Keep it for its second try.
        static let keep = Effects(rawValue: 1 << 1)
        /// Name it in the next list, with the ancestor that was found.
        static let propose = Effects(rawValue: 1 << 2)
        /// Tell the application.
        static let report = Effects(rawValue: 1 << 3)
        /// Have the refusal remembered with what the peer took; that it counts as done is saved later.
        static let remember = Effects(rawValue: 1 << 4)
        /// Have it noted that the peer has the revision.
        static let mark = Effects(rawValue: 1 << 5)
        /// Its bytes count as transferred.
        static let count = Effects(rawValue: 1 << 6)
        /// The checkpoint may pass it.
        static let pass = Effects(rawValue: 1 << 7)
        /// The checkpoint must not pass it any more.
        static let reopen = Effects(rawValue: 1 << 8)
        /// There is a new change in the feed.
        static let readFeed = Effects(rawValue: 1 << 9)
    }

    /// How often a change is proposed, each time with another ancestor.
    static let maximumAttempts = 5

    /// The whole behaviour, a line for each transition.
    mutating func take(_ event: Event) -> Effects {
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

    /// Whether it counts as done, and may be opened again.
    var awaitsPull: Bool {
        if case .awaitingPull = self { true } else { false }
    }

    /// Whether nothing more happens to it in this run.
    var isSettled: Bool {
        if case .settled = self { true } else { false }
    }
}

extension PushedChange.Event {
    /// What follows from a verdict on a proposal that is none of those with a meaning of their own.
    ///
    /// 500 is of the moment here: neither Sync Gateway nor Couchbase Lite could read the document.
    init(refusing status: HTTPStatus) {
        if status == .internalError {
            self = .failed(.http(status, "the peer could not look at the document"))
        } else {
            let error = SyncError.http(status, "the peer refuses the revision")
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

    /// How far the peer's sequences were, if it said.
    var remoteSequence: UInt64? {
        switch self {
        case .known(let sequence), .delivered(_, let sequence, _): sequence
        default: nil
        }
    }

    /// Whether the peer says that the revision is its current one.
    var saysCurrent: Bool {
        switch self {
        case .known: true
        case .delivered(_, let sequence, _): sequence != nil
        default: false
        }
    }

    /// Whether the peer had the revision already, on whatever branch.
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
