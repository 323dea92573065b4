import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// How fast a replicator is and how long it will take, from its statistics.
@Suite(.timeLimit(.minutes(5))) struct ReplicationPaceTests {
    private let begin = ContinuousClock.now

    private func statistics(
        pulled: UInt64,
        remaining: UInt64,
        bytes: UInt64 = 0
    ) -> Replicator.Statistics {
        var statistics = Replicator.Statistics()
        statistics.pulledDocumentCount = pulled
        statistics.receivedByteCount = bytes
        statistics.expectedDocumentCount = pulled + remaining
        statistics.remainingDocumentCount = remaining
        return statistics
    }

    @Test func `the time left is estimated from the pace of the last seconds`() {
        var pace = ReplicationPace()
        #expect(pace.timeLeft == nil && pace.documentsPerSecond == 0)
        // Slow at first, which no longer counts after five seconds.
        for second in 0...20 {
            pace.note(
                statistics(pulled: UInt64(second), remaining: 1_000),
                at: begin + .seconds(second)
            )
        }
        for second in 1...6 {
            let step = UInt64(second)
            pace.note(
                statistics(pulled: 20 + 100 * step, remaining: 400, bytes: 5_000 * step),
                at: begin + .seconds(20 + second)
            )
        }
        #expect(pace.documentsPerSecond == 100)
        #expect(pace.bytesPerSecond == 5_000)
        #expect(pace.timeLeft == .seconds(4))
    }

    @Test func `the time left is unknown without progress and zero when complete`() {
        var pace = ReplicationPace()
        pace.note(statistics(pulled: 0, remaining: 0), at: begin)
        #expect(pace.timeLeft == nil)
        pace.note(statistics(pulled: 0, remaining: 10), at: begin + .seconds(1))
        #expect(pace.timeLeft == nil)
        pace.note(statistics(pulled: 10, remaining: 0), at: begin + .seconds(2))
        #expect(pace.timeLeft == .zero)
    }

    @Test func `timestamps that go backward or are very close are harmless`() {
        var pace = ReplicationPace()
        for step in 0..<10_000 {
            pace.note(
                statistics(pulled: UInt64(step), remaining: .max - 10_000),
                at: begin + .microseconds(step * 100)
            )
        }
        #expect((9_000...11_000).contains(pace.documentsPerSecond))
        #expect(pace.timeLeft == .seconds(100.0 * 365 * 86_400))
        pace.note(statistics(pulled: 0, remaining: 0), at: begin)
        #expect(pace.timeLeft != nil)
    }

    @Test func `a completed run has no remaining documents`() async throws {
        let peers = try Peers()
        let source = try peers.there.defaultCollection()
        for number in 0..<250 { try source.put("document-\(number)", number) }
        let replicator = Replicator(config: try peers.configuration(.pull))
        try await replicator.run()
        let statistics = replicator.statistics
        #expect(statistics.expectedDocumentCount == 250)
        #expect(statistics.remainingDocumentCount == 0)
        var pace = ReplicationPace()
        pace.note(statistics, at: .now)
        #expect(pace.timeLeft == .zero)
    }
}
