import DivanLinks
import Testing

/// When bytes arrive over a link, in virtual time.
@Suite struct LinkDirectionTests {
    @Test func `bytes arrive after the latency and the transmission time`() {
        var link = LinkDirection(bytesPerSecond: 1_000, latency: .milliseconds(20))
        #expect(link.take(100, at: .seconds(5)) == .milliseconds(5_120))
    }

    @Test func `bytes are sent one after the other`() {
        var link = LinkDirection(bytesPerSecond: 1_000, latency: .milliseconds(1))
        _ = link.take(500, at: .zero)
        #expect(link.take(500, at: .milliseconds(100)) == .milliseconds(1_001))
        #expect(link.take(1, at: .seconds(9)) == .milliseconds(9_002))
    }

    @Test(arguments: [1.0, 10, 100, 1_000])
    func `a sender that waits for the link sends at exactly its rate`(megabits: Double) {
        let rate = megabits * 125_000
        var link = LinkDirection(bytesPerSecond: rate, latency: .milliseconds(100))
        var (now, sent, arrival) = (Duration.zero, 0, Duration.zero)
        while now < .seconds(20) {
            arrival = link.take(link.pieceByteCount, at: now)
            sent += link.pieceByteCount
            now = max(now, link.opensAt)
        }
        let seconds = (arrival - link.latency) / .seconds(1)
        #expect(abs(Double(sent) / seconds / rate - 1) < 0.001)
        #expect(Double(sent) - now / .seconds(1) * rate <= Double(link.mostByteCount))
    }
}
