import DivanBLIP
import DivanRevisions

/// The changes of one collection that are being pushed, at most one per document.
///
/// Of later changes to the same document only the newest waits. Lists and the window limit how many are in progress;
/// `ReplicatorLimits` limits those that were set aside or await the pull.
struct PushedChanges {
    /// A document's change in progress, and the one that waits for it.
    fileprivate struct Place {
        /// The change, and how it was last proposed.
        var proposal: Proposal
        var change = PushedChange.found
        var next: FeedChange?
    }

    /// The result of an event: the change as it was last proposed, and what to do about it.
    struct Step {
        let proposal: Proposal
        let effects: PushedChange.Effects
        /// Whether the next list names the document.
        fileprivate let isToPropose: Bool
        /// Whether nothing of the document is in progress any more.
        fileprivate let isOver: Bool
        /// The increase in the number of changes that await the pull.
        fileprivate let awaitedGrowth: Int
    }

    private var places = NumberTable<Place>()
    /// The numbers of the documents that have a place: a name is hashed only when a change is added and removed, and
    /// each event in between carries the number.
    private var numbers: [DocumentID: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    /// What the next list names, in order.
    private var toPropose: [UInt64] = []
    /// What is tried again when everything else is done, in order.
    private(set) var setAside: [OutgoingRevision] = []
    private(set) var awaitedCount = 0

    /// Whether nothing is in progress.
    var isEmpty: Bool { places.count == awaitedCount }

    /// Whether a change of a document is in progress.
    func isUnderway(_ documentID: DocumentID) -> Bool {
        place(of: documentID).map { !$0.change.awaitsPull } ?? false
    }

    /// The number of a document's change; `nil` if none is in progress or awaits the pull.
    func number(of documentID: DocumentID) -> UInt64? { numbers[documentID] }

    private func place(of documentID: DocumentID) -> Place? {
        numbers[documentID].flatMap { places[$0] }
    }

    /// The change that awaits the pull of a document.
    func awaited(_ documentID: DocumentID) -> Proposal? {
        guard awaitedCount > 0, let place = place(of: documentID), place.change.awaitsPull
        else { return nil }
        return place.proposal
    }

    /// Changes that the pull did not clear, in order.
    var awaited: [UInt64] {
        guard awaitedCount > 0 else { return [] }
        let proposals = places.elements.lazy.filter(\.change.awaitsPull).map(\.proposal)
        return proposals.sorted { $0.change.sequence < $1.change.sequence }.map(\.number)
    }

    /// Adds a change: it is proposed, or waits for the one in progress.
    ///
    /// - Returns: The change that waited so far, which is no longer needed.
    mutating func add(_ proposal: Proposal) -> FeedChange? {
        let documentID = proposal.change.documentID
        lastNumber += 1
        let number = lastNumber
        if let earlier = numbers.updateValue(number, forKey: documentID) {
            numbers[documentID] = earlier
            let isAwaiting = places[earlier]?.change.awaitsPull ?? false
            guard isAwaiting else {
                return places.change(earlier) { place in
                    defer { place.next = proposal.change }
                    return place.next
                } ?? nil
            }
            _ = handle(.newerFound, of: earlier)
            numbers[documentID] = number
        }
        var place = Place(proposal: proposal)
        place.proposal.number = number
        places.insert(place, at: number)
        toPropose.append(number)
        return nil
    }

    /// Applies an event to a change.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - number: The number of the change.
    ///   - canFollow: Whether a change can be proposed from a revision that the peer has, and which waited before it:
    ///     the document may have been recreated in between.
    /// - Returns: `nil` if no change has the number any more. A change that waited behind it may now be ready to be
    ///   proposed, under the same number.
    mutating func handle(
        _ event: PushedChange.Event,
        of number: UInt64,
        canFollow: (FeedChange, RevisionID) -> Bool = { _, _ in true }
    ) -> Step? {
        guard let step = places.change(number, { $0.handle(event, canFollow) }) else { return nil }
        awaitedCount += step.awaitedGrowth
        if step.isOver {
            _ = places.remove(number)
            numbers.removeValue(forKey: step.proposal.change.documentID)
        }
        if step.isToPropose { toPropose.append(number) }
        if step.effects.contains(.keep), case .forbidden(_, let revision) = event {
            setAside.append(revision)
        }
        return step
    }

    /// Returns, and removes, what the next list names.
    mutating func takeProposals() -> [Proposal] {
        let numbers = toPropose
        toPropose = []
        return numbers.compactMap { handle(.listed, of: $0)?.proposal }
    }

    /// Returns, and removes, what was set aside.
    mutating func takeSetAside() -> [OutgoingRevision] {
        defer { setAside = [] }
        return setAside
    }
}

extension PushedChanges.Place {
    /// Applies an event in place: a change is large, and moves three times.
    ///
    /// When a change is finished, the one that waits for it takes its place.
    fileprivate mutating func handle(
        _ event: PushedChange.Event,
        _ canFollow: (FeedChange, RevisionID) -> Bool
    ) -> PushedChanges.Step {
        let awaitedBefore = change.awaitsPull ? 1 : 0
        var effects = change.handle(event)
        if change.awaitsPull, next != nil { effects.formUnion(change.handle(.newerFound)) }
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
            let delivered = proposal.change.revisionID
            let isThere = effects.contains(.mark) && canFollow(next, delivered)
            let ancestor = isThere ? delivered : next.remoteAncestor
            let number = proposal.number
            self = Self(proposal: Proposal(next, from: ancestor))
            proposal.number = number
        }
        return step
    }
}
