import DivanStore
import Testing

// That nothing is kept shows in nothing but time, so this looks inside.
@testable import DivanReplicator

/// Connections share what they send only where there is somebody to share it with.
@Suite struct SharedRevisionsTests {
    @Test
    func `a connection that is alone keeps nothing for others`() {
        let shared = SharedRevisions(of: .inMemory())
        let first = shared.join()
        #expect(first.revisions == nil)
        var second: SharedRevisions.Membership? = shared.join()
        #expect(first.revisions === shared)
        #expect(second?.revisions === shared)
        second = nil
        #expect(first.revisions == nil)
    }
}
