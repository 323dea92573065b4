import Testing

// The window is internal to the engine.
@testable import DivanReplicator

/// The maximum number of revisions in transit, depending on the latency of the peer.
@Suite struct SendWindowTests {
    private let limits = ReplicatorLimits()

    @Test func `a peer of which nothing is known counts as near`() {
        #expect(SendWindow().revisionsCount(limits) == limits.unansweredNearbyCount)
    }

    @Test func `a far peer has more on its way`() {
        var window = SendWindow()
        window.turned(after: .milliseconds(80))
        window.answered(after: .milliseconds(120))
        #expect(window.revisionsCount(limits) == limits.unansweredRevisionsCount)
    }

    /// Its answers wait for all revisions before them, but its first words do not.
    @Test func `a slow peer nearby is not taken for a far one`() {
        var window = SendWindow()
        window.turned(after: .milliseconds(2))
        for _ in 0..<100 { window.answered(after: .milliseconds(200)) }
        #expect(window.revisionsCount(limits) == limits.unansweredNearbyCount)
    }

    @Test func `limits that a caller made smaller hold at any distance`() {
        var small = ReplicatorLimits()
        small.unansweredRevisionsCount = 3
        var window = SendWindow()
        #expect(window.revisionsCount(small) == 3)
        window.turned(after: .seconds(1))
        #expect(window.revisionsCount(small) == 3)
    }
}
