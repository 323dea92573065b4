import DivanRevisions

/// The changes of one collection that are on their way to the peer, one of a document at most.
///
/// Of later ones of the same document only the newest waits. Lists and the window bound how many are
/// under way; `ReplicatorLimits` bounds those that were set aside or await the pull.
struct PushedChanges {
    /// What is on its way of one document, and what waits behind it.
    fileprivate struct Place {
        /// The change, and how it was proposed last.
        var proposal: Proposal
        var change = PushedChange.found
        var next: FeedChange?
    }

    /// What came of an event: the change as it was proposed last, and what is to be done about it.
    struct Step {
        let proposal: Proposal
        let effects: PushedChange.Effects
        /// Whether the next list names the document.
        fileprivate let isToPropose: Bool
        /// Whether nothing of the document is on its way any more.
        fileprivate let isOver: Bool
        /// By how much the number of changes grew that await the pull.
        fileprivate let awaitedGrowth: Int
    }

    private var places: [DocumentID: Place] = [:]
    /// Documents whose changes the next list names, in order.
    private var toPropose: [DocumentID] = []
    /// What gets a second try when all else is done, in order.
    private(set) var setAside: [OutgoingRevision] = []
    private(set) var awaitedCount = 0

    /// Whether nothing is under way.
    var isEmpty: Bool { places.count == awaitedCount }

    /// Whether a change of a document is on its way.
    func isUnderway(_ documentID: DocumentID) -> Bool {
        places[documentID].map { !$0.change.awaitsPull } ?? false
    }

    /// What waits for the pull of a document.
    func awaited(_ documentID: DocumentID) -> Proposal? {
        guard awaitedCount > 0, let place = places[documentID], place.change.awaitsPull else {
            return nil
        }
        return place.proposal
    }

    /// The documents that the pull did not clear, in the order of their changes.
    var awaited: [DocumentID] {
        guard awaitedCount > 0 else { return [] }
        let changes = places.values.lazy.filter(\.change.awaitsPull).map(\.proposal.change)
        return changes.sorted { $0.sequence < $1.sequence }.map(\.documentID)
    }

    /// Adds a change: it is proposed, or waits behind the one under way.
    ///
    /// - Returns: The change that waited so far, which nobody needs any more.
    mutating func add(_ proposal: Proposal) -> FeedChange? {
        let documentID = proposal.change.documentID
        if let index = places.index(forKey: documentID) {
            guard places.values[index].change.awaitsPull else {
                defer { places.values[index].next = proposal.change }
                return places.values[index].next
            }
            _ = take(.newerFound, of: documentID)
        }
        places[documentID] = Place(proposal: proposal)
        toPropose.append(documentID)
        return nil
    }

    /// Moves the change of a document on.
    ///
    /// - Returns: `nil` where no change is under way. One that waited behind it may be there to be
    ///   proposed now.
    mutating func take(_ event: PushedChange.Event, of documentID: DocumentID) -> Step? {
        guard let index = places.index(forKey: documentID) else { return nil }
        let step = places.values[index].take(event)
        awaitedCount += step.awaitedGrowth
        if step.isOver { places.remove(at: index) }
        if step.isToPropose { toPropose.append(documentID) }
        if step.effects.contains(.keep), case .forbidden(_, let revision) = event {
            setAside.append(revision)
        }
        return step
    }

    /// Hands out what the next list names.
    mutating func takeProposals() -> [Proposal] {
        let documentIDs = toPropose
        toPropose = []
        return documentIDs.compactMap { take(.listed, of: $0)?.proposal }
    }

    /// Hands out what was set aside.
    mutating func takeSetAside() -> [OutgoingRevision] {
        defer { setAside = [] }
        return setAside
    }
}

extension PushedChanges.Place {
    /// Moves the change on, where it is kept: it is large, and moves three times.
    ///
    /// What waited behind a change takes its place when it is settled.
    fileprivate mutating func take(_ event: PushedChange.Event) -> PushedChanges.Step {
        let awaitedBefore = change.awaitsPull ? 1 : 0
        var effects = change.take(event)
        if change.awaitsPull, next != nil { effects.formUnion(change.take(.newerFound)) }
        if effects.contains(.propose), case .ancestorFound(let ancestor) = event {
            proposal = proposal.again(from: ancestor)
        }
        let follows = change.isSettled && next != nil
        let step = PushedChanges.Step(
            proposal: proposal,
            effects: effects,
            isToPropose: follows || effects.contains(.propose),
            isOver: change.isSettled && !follows,
            awaitedGrowth: (change.awaitsPull ? 1 : 0) - awaitedBefore
        )
        if follows, let next {
            let isThere = effects.contains(.mark)
            let ancestor = isThere ? proposal.change.revisionID : next.remoteAncestor
            self = Self(proposal: Proposal(next, from: ancestor))
        }
        return step
    }
}
