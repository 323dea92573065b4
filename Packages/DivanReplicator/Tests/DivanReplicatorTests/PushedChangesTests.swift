import DivanRevisions
import DivanStore
import Testing

@testable import DivanReplicator

/// Changes in progress, without any peer: one per document, and one that waits for it.
@Suite struct PushedChangesTests {
    private var changes = PushedChanges()
    private let document: DocumentID = "a"

    /// A change of the document with this sequence.
    private func change(_ sequence: UInt64) throws -> FeedChange {
        let revisionID = try #require(RevisionID("\(sequence)-aa"))
        return FeedChange(
            sequence: sequence,
            documentID: document,
            revisionID: revisionID,
            isTombstone: false,
            bodyByteCount: 2,
            isFirst: false,
            feedEnd: sequence
        )
    }

    /// Applies an event to the document's change.
    private mutating func handle(_ event: PushedChange.Event) -> PushedChanges.Step? {
        guard let number = changes.number(of: document) else { return nil }
        return changes.handle(event, of: number)
    }

    /// Adds a change, has it proposed, and makes it await the pull.
    private mutating func bringToAwait(_ sequence: UInt64) throws {
        #expect(changes.add(Proposal(try change(sequence))) == nil)
        #expect(changes.takeProposals().map(\.change.sequence) == [sequence])
        for event in [PushedChange.Event.conflict, .pullMayClear] {
            let step = handle(event)
            #expect(step != nil)
        }
    }

    @Test mutating func `only the newest later change waits, and it follows the first`() throws {
        #expect(changes.add(Proposal(try change(1))) == nil)
        #expect(changes.add(Proposal(try change(2))) == nil)
        #expect(changes.add(Proposal(try change(3)))?.sequence == 2)
        #expect(changes.takeProposals().map(\.change.sequence) == [1])
        let effects = handle(.known(at: nil))?.effects
        #expect(effects == [.mark, .count, .pass])
        let next = changes.takeProposals()
        #expect(next.map(\.change.sequence) == [3])
        // The peer is now known to have the first one.
        #expect(next.map(\.ancestor) == [RevisionID("1-aa")])
    }

    @Test
    mutating func `a change that waits for the pull is not in flight, and is reported at the end`()
        throws
    {
        try bringToAwait(1)
        #expect(changes.isEmpty && !changes.isUnderway(document))
        #expect(changes.awaitedCount == 1 && changes.awaited == [1])
        let effects = handle(.runEnded)?.effects
        #expect(effects == .report)
        #expect(changes.awaitedCount == 0 && changes.awaited(document) == nil)
    }

    @Test mutating func `the pull releases a change that waited for it, with one more attempt`()
        throws
    {
        try bringToAwait(1)
        let ancestor = try #require(RevisionID("1-bb"))
        let effects = handle(.ancestorFound(ancestor))?.effects
        #expect(effects == [.propose, .reopen])
        let again = changes.takeProposals()
        #expect(again.map(\.ancestor) == [ancestor] && again.map(\.attemptCount) == [2])
        #expect(!changes.isEmpty && changes.awaitedCount == 0)
    }

    @Test mutating func `a newer change replaces a change that waits for the pull`() throws {
        try bringToAwait(1)
        #expect(changes.add(Proposal(try change(2))) == nil)
        #expect(changes.awaitedCount == 0 && changes.awaited.isEmpty)
        #expect(changes.takeProposals().map(\.change.sequence) == [2])
    }

    @Test mutating func `a queued change is proposed at once if the first waits for the pull`()
        throws
    {
        #expect(changes.add(Proposal(try change(1))) == nil)
        #expect(changes.takeProposals().count == 1)
        #expect(changes.add(Proposal(try change(2))) == nil)
        _ = handle(.conflict)
        let effects = handle(.pullMayClear)?.effects
        #expect(effects == [.remember, .pass])
        #expect(changes.awaitedCount == 0)
        #expect(changes.takeProposals().map(\.change.sequence) == [2])
    }

    @Test mutating func `events that are not expected in a state change nothing`() throws {
        let none = handle(.known(at: nil))?.effects
        #expect(none == nil)
        _ = changes.add(Proposal(try change(1)))
        let early = handle(.known(at: nil))?.effects
        #expect(early == [])
        #expect(changes.takeProposals().map(\.change.sequence) == [1])
    }

    @Test mutating func `events of a finished change do not affect a later change of its document`()
        throws
    {
        #expect(changes.add(Proposal(try change(1))) == nil)
        let first = try #require(changes.takeProposals().first)
        #expect(changes.handle(.known(at: nil), of: first.number) != nil)
        #expect(changes.add(Proposal(try change(2))) == nil)
        #expect(changes.takeProposals().map(\.change.sequence) == [2])
        #expect(changes.handle(.known(at: nil), of: first.number) == nil)
        #expect(changes.isUnderway(document) && changes.number(of: document) != first.number)
    }
}
