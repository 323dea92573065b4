import Testing

// The trial is a part of the engine that nobody else needs.
@testable import DivanReplicator

/// Which way bodies go on links of different speeds, in virtual time.
@Suite struct CompressionTrialTests {
    /// A link and a codec that work side by side, with some bodies under way at any time.
    private struct Link {
        var bytesPerSecond: Double
        var codecBytesPerSecond = 45_000_000.0
        var ratio = 0.25
        private(set) var now: Duration = .zero
        private(set) var plainByteCount = 0
        private(set) var byteCount = 0
        private var underway: [Int] = []

        init(bytesPerSecond: Double) {
            self.bytesPerSecond = bytesPerSecond
        }

        /// Sends bodies of 10,000 bytes.
        mutating func send(_ count: Int, _ trial: inout CompressionTrial) {
            for _ in 0..<count {
                trial.sent(10_000, at: now)
                underway.append(10_000)
                byteCount += 10_000
                if !trial.compresses { plainByteCount += 10_000 }
                let seconds =
                    trial.compresses
                    ? max(10_000 / codecBytesPerSecond, 10_000 * ratio / bytesPerSecond)
                    : 10_000 / bytesPerSecond
                now += .seconds(seconds)
                guard underway.count >= 20 else { continue }
                trial.answered(underway.removeFirst(), at: now)
            }
        }
    }

    private func afterTrial(of link: Link) -> (compresses: Bool, link: Link) {
        var (trial, link) = (CompressionTrial(), link)
        link.send(2_000, &trial)
        return (trial.compresses, link)
    }

    @Test func `a fast link carries bodies as they are`() {
        #expect(!afterTrial(of: Link(bytesPerSecond: 1_000_000_000)).compresses)
    }

    @Test func `a link that is slower than the codec keeps compressed bodies`() {
        let (compresses, link) = afterTrial(of: Link(bytesPerSecond: 12_500_000))
        #expect(compresses)
        // The trial itself, and no more.
        #expect((1...(4 << 20)).contains(link.plainByteCount))
    }

    @Test func `a slow link never carries a plain body`() {
        let (compresses, link) = afterTrial(of: Link(bytesPerSecond: 500_000))
        #expect(compresses)
        #expect(link.plainByteCount == 0)
    }

    @Test func `bodies that do not shrink go as they are where the codec is slower`() {
        var link = Link(bytesPerSecond: 60_000_000)
        link.ratio = 1
        #expect(!afterTrial(of: link).compresses)
    }

    /// A tenth more speed for four times the bytes.
    @Test func `a small gain is not worth the bytes`() {
        #expect(afterTrial(of: Link(bytesPerSecond: 50_000_000)).compresses)
    }

    @Test func `a link that becomes slow is noticed`() {
        var (trial, link) = (CompressionTrial(), Link(bytesPerSecond: 1_000_000_000))
        link.send(2_000, &trial)
        #expect(!trial.compresses)
        link.bytesPerSecond = 1_000_000
        link.send(10_000, &trial)
        #expect(trial.compresses)
    }

    @Test func `the longer a link is known the less is tried`() {
        var (trial, link) = (CompressionTrial(), Link(bytesPerSecond: 12_500_000))
        link.send(100_000, &trial)
        #expect(link.plainByteCount * 50 < link.byteCount)
    }

    /// A chat sends a body now and then: the pauses are no time of the link.
    @Test func `pauses between bodies are not counted`() {
        var trial = CompressionTrial()
        var now: Duration = .zero
        for _ in 0..<1_000 {
            trial.sent(10_000, at: now)
            now += .microseconds(250)
            trial.answered(10_000, at: now)
            now += .seconds(60)
        }
        // 40 MB/s compressed; then plain ones as fast: no gain.
        #expect(trial.compresses)
        #expect(CompressionTrial.slowRate < 40_000_000)
    }

    @Test func `an answer that nobody waits for changes nothing`() {
        var trial = CompressionTrial()
        trial.answered(1 << 30, at: .zero)
        trial.answered(10, at: .seconds(-1))
        #expect(trial.compresses)
    }
}
