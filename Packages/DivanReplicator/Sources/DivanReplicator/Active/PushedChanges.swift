import DivanRevisions

/// The changes of one collection that are on their way to the peer, one of a document at most.
///
/// Of later ones of the same document only the newest waits. Lists and the window bound how many are
/// under way; `Limits` bounds those that were set aside or await the pull.
struct PushedChanges {
    /// What is on its way of one document, and what waits behind it.
    private struct Place {
        var change: PushedChange
        var next: FeedChange?
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
        guard let change = places[documentID]?.change, change.awaitsPull else { return nil }
        return change.proposal
    }

    /// The documents that the pull did not clear, in the order of their changes.
    var awaited: [DocumentID] {
        guard awaitedCount > 0 else { return [] }
        let changes = places.values.lazy.filter(\.change.awaitsPull).map(\.change.proposal.change)
        return changes.sorted { $0.sequence < $1.sequence }.map(\.documentID)
    }

    /// Adds a change: it is proposed, or waits behind the one under way.
    ///
    /// - Returns: The change that waited so far, which nobody needs any more.
    mutating func add(_ proposal: Proposal) -> FeedChange? {
        let documentID = proposal.change.documentID
        if let index = places.index(forKey: documentID), !places.values[index].change.awaitsPull {
            defer { places.values[index].next = proposal.change }
            return places.values[index].next
        }
        _ = take(.newerFound, of: documentID)
        places[documentID] = Place(change: .found(proposal))
        toPropose.append(documentID)
        return nil
    }

    /// Moves the change of a document on.
    ///
    /// - Returns: The change as it was proposed last, and what is to be done about it; `nil` where no
    ///   change is under way. One that waited behind it may be there to be proposed now.
    mutating func take(
        _ event: PushedChange.Event,
        of documentID: DocumentID
    ) -> (proposal: Proposal, effects: PushedChange.Effects)? {
        guard let index = places.index(forKey: documentID) else { return nil }
        if places.values[index].change.awaitsPull { awaitedCount -= 1 }
        var effects = places.values[index].change.take(event)
        var place = places.values[index]
        if case .awaitingPull = place.change, place.next != nil {
            effects.formUnion(place.change.take(.newerFound))
        }
        if case .settled(let proposal) = place.change {
            if var next = place.next {
                if effects.contains(.mark) { next.remoteAncestor = proposal.change.revisionID }
                places.values[index] = Place(change: .found(Proposal(next)))
                toPropose.append(documentID)
            } else {
                places.remove(at: index)
            }
        }
        if place.change.awaitsPull { awaitedCount += 1 }
        if effects.contains(.propose) { toPropose.append(documentID) }
        if effects.contains(.keep), case .forbidden(_, let revision) = event {
            setAside.append(revision)
        }
        return (place.change.proposal, effects)
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
