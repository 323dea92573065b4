import DivanReplicator
import DivanRevisions
import DivanTestKit
import Testing

/// What an interrupted replication must repeat: only what was in transit.
@Suite struct InterruptionTests {
    private static let documentCount = 2_000
    private static let interruptionCount = 20

    @Test func `twenty interruptions repeat at most 5 percent of 100,000 documents`() {
        #expect(ReplicatorLimits().unansweredNearbyCount * Self.interruptionCount <= 100_000 / 20)
    }

    /// The connection is cut at random moments, and everything in transit is lost.
    ///
    /// The window is reduced by the same factor as the number of documents.
    @Test(arguments: [true, false], UInt64(0)..<TestLength.of(1, long: 2))
    func `an interrupted sync sends few revisions twice`(pushes: Bool, seed: UInt64) throws {
        let (here, there) = (try Site(), try Site())
        let source = pushes ? here : there
        for number in 0..<Self.documentCount {
            try source.save(DocumentID(unchecked: "doc\(number)"), #"{"n":1}"#)
        }
        var options = Conversation.Options(pushes: pushes, pulls: !pushes)
        options.compresses = false
        options.limits.unansweredNearbyCount /= 100_000 / Self.documentCount
        var generator = SeededGenerator(seed: seed)
        var sentCount = 0
        for _ in 0..<Self.interruptionCount {
            var run = Conversation(options, here: here, there: there)
            run.generator = SeededGenerator(seed: generator.next())
            let share = Self.documentCount / Self.interruptionCount
            let limit = Int.random(in: 1..<share, using: &generator)
            while run.sentRevisionCount < limit, run.step() {}
            run.cut()
            sentCount += run.sentRevisionCount
        }
        let last = Conversation.oneShot(options, here, there)
        sentCount += last.sentRevisionCount
        #expect(last.failures == [])
        #expect(try here.contents() == there.contents(), "seed \(seed)")
        let repeated = sentCount - Self.documentCount
        #expect(repeated <= Self.documentCount / 20, "\(repeated) sent twice, seed \(seed)")
        #expect(repeated > 0, "no interruption hit anything, seed \(seed)")
    }
}
