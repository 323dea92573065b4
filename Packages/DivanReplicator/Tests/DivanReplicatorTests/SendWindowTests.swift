import Testing

// The window is internal to the engine.
@testable import DivanReplicator

/// The maximum number of revisions in transit, depending on the latency of the peer.
@Suite struct SendWindowTests {
    private let limits = ReplicatorLimits()

    @Test func `an unknown peer is treated as nearby`() {
        #expect(SendWindow().revisionsCount(limits) == limits.unansweredNearbyCount)
    }

    @Test func `a distant peer gets a larger window`() {
        var window = SendWindow()
        window.turned(after: .milliseconds(80))
        window.answered(after: .milliseconds(120))
        #expect(window.revisionsCount(limits) == limits.unansweredRevisionsCount)
    }

    /// Its answers wait for all revisions before them, but its first words do not.
    @Test func `a slow nearby peer is not mistaken for a distant one`() {
        var window = SendWindow()
        window.turned(after: .milliseconds(2))
        for _ in 0..<100 { window.answered(after: .milliseconds(200)) }
        #expect(window.revisionsCount(limits) == limits.unansweredNearbyCount)
    }

    @Test func `a smaller limit set by the caller applies at any distance`() {
        var small = ReplicatorLimits()
        small.unansweredRevisionsCount = 3
        var window = SendWindow()
        #expect(window.revisionsCount(small) == 3)
        window.turned(after: .seconds(1))
        #expect(window.revisionsCount(small) == 3)
    }
}
