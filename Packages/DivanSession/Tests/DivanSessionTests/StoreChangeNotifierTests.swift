import DivanRevisions
import DivanStore
import Testing

@testable import DivanSession

/// What waits between the threads that commit and the loop.
@Suite struct StoreChangeNotifierTests {
    private let own = ChangeOrigin()

    private func change(_ origin: ChangeOrigin, ends: Bool = false) -> StoreChange {
        StoreChange(
            collection: .default,
            changes: [DocumentChange(documentID: "a", sequence: 1)],
            origin: origin,
            endsCollection: ends
        )
    }

    @Test func `ten thousand commits are one notice and wake the loop once`() {
        let notices = StoreChangeNotifier(own: own)
        let wakings = (0..<10_000).count { _ in notices.add(change(ChangeOrigin())) }
        #expect(wakings == 1)
        let taken = notices.take()
        #expect(taken.map(\.collection) == [.default])
        #expect(taken.allSatisfy { $0.origin != own && $0.changes.isEmpty })
        #expect(notices.take().isEmpty)
        #expect(notices.add(change(.local)), "the next one wakes it again")
    }

    @Test func `a change by the peer itself hides neither other changes nor a deleted collection`()
    {
        let notices = StoreChangeNotifier(own: own)
        #expect(notices.add(change(own)))
        #expect(!notices.add(change(.local)))
        #expect(!notices.add(change(.local, ends: true)))
        #expect(!notices.add(change(own)))
        let taken = notices.take()
        #expect(taken.map { $0.origin == own } == [true, false, false])
        #expect(taken.map(\.endsCollection) == [false, false, true])
    }
}
