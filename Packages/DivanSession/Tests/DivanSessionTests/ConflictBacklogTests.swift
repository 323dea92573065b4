import DivanRevisions
import DivanStore
import Testing

@testable import DivanReplicator
@testable import DivanSession

/// The line of conflicts that wait for resolvers.
///
/// `@testable`: neither the line nor a waiting conflict is public.
@Suite struct ConflictBacklogTests {
    private func conflict(_ number: Int) -> PendingConflict {
        PendingConflict(collection: .default, documentID: DocumentID(unchecked: "\(number)"))
    }

    @Test func `conflicts are resolved in order, four at a time`() {
        var backlog = ConflictBacklog()
        for number in 0..<30 { backlog.add(conflict(number)) }
        let first = (0..<9).compactMap { _ in backlog.next() }
        #expect(first == (0..<4).map(conflict))
        backlog.finished()
        #expect(backlog.next() == conflict(4) && backlog.next() == nil)
    }

    @Test func `a backlog that is never empty keeps only waiting conflicts`() {
        var backlog = ConflictBacklog()
        for number in 0..<500 { backlog.add(conflict(number)) }
        for number in 0..<10_000 {
            #expect(backlog.next() == conflict(number))
            backlog.finished()
            backlog.add(conflict(500 + number))
        }
        #expect(backlog.keptCount <= 1_100 && !backlog.isSettled)
    }
}
