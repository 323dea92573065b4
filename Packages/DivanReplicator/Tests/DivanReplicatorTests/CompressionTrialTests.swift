import Testing

// The trial is internal to the engine.
@testable import DivanReplicator

/// How bodies are sent on links of different speeds, in virtual time.
@Suite struct CompressionTrialTests {
    /// A link and a codec that work in parallel, with some bodies in transit at any time.
    private struct Link {
        /// Plain bytes per second and compressed fraction of the plain bytes for each choice, the densest first; the
        /// last means uncompressed bodies.
        typealias Choice = (rate: Double, ratio: Double)
        static let zlib: [Choice] = [(45_000_000, 0.25), (2e9, 1)]
        static let all: [Choice] = [
            (20_000_000, 0.158), (55_000_000, 0.185), (90_000_000, 0.31), (2e9, 1),
        ]

        var bytesPerSecond: Double
        var choices = Self.zlib
        private(set) var now: Duration = .zero
        private(set) var plainByteCount = 0
        private(set) var byteCount = 0
        private var underway: [Int] = []

        init(bytesPerSecond: Double) {
            self.bytesPerSecond = bytesPerSecond
        }

        var gradeCount: Int { choices.count - 1 }

        /// Seconds needed for a body with a choice.
        func seconds(_ choice: Int) -> Double {
            max(10_000 / choices[choice].rate, 10_000 * choices[choice].ratio / bytesPerSecond)
        }

        /// Lets time pass in which nothing is sent or answered.
        mutating func wait(_ time: Duration) { now += time }

        /// Sends bodies of 10,000 bytes.
        mutating func send(_ count: Int, _ trial: inout CompressionTrial) {
            for _ in 0..<count {
                trial.sent(10_000, at: now)
                underway.append(10_000)
                byteCount += 10_000
                if !trial.compresses { plainByteCount += 10_000 }
                now += .seconds(seconds(trial.compresses ? trial.grade : gradeCount))
                guard underway.count >= 20 else { continue }
                trial.answered(underway.removeFirst(), at: now)
            }
        }
    }

    private func afterTrial(of link: Link) -> (compresses: Bool, link: Link) {
        var (trial, link) = (CompressionTrial(gradeCount: link.gradeCount), link)
        link.send(2_000, &trial)
        return (trial.compresses, link)
    }

    @Test func `a fast link sends bodies uncompressed`() {
        #expect(!afterTrial(of: Link(bytesPerSecond: 1_000_000_000)).compresses)
    }

    @Test func `a link that is slower than the codec compresses bodies`() {
        let (compresses, link) = afterTrial(of: Link(bytesPerSecond: 12_500_000))
        #expect(compresses)
        // Only the trial itself.
        #expect((1...(4 << 20)).contains(link.plainByteCount))
    }

    @Test func `a slow link never sends an uncompressed body`() {
        let (compresses, link) = afterTrial(of: Link(bytesPerSecond: 500_000))
        #expect(compresses)
        #expect(link.plainByteCount == 0)
    }

    @Test func `incompressible bodies are sent uncompressed if the codec is slower than the link`()
    {
        var link = Link(bytesPerSecond: 60_000_000)
        link.choices = [(45_000_000, 1), (2e9, 1)]
        #expect(!afterTrial(of: link).compresses)
    }

    /// A twentieth more speed for four times the bytes.
    @Test func `a small gain in speed does not justify sending more bytes`() {
        #expect(afterTrial(of: Link(bytesPerSecond: 47_000_000)).compresses)
    }

    /// 1 to 1,000 Mbit/s, with codecs of the measured speed and density.
    @Test(arguments: [1.0, 5, 10, 20, 50, 100, 200, 300, 500, 1_000])
    func `the choice is within a tenth of the best on any link`(megabits: Double) {
        for choices in [Link.all, [Link.all[0], Link.all[1], Link.all[3]], Link.zlib] {
            var link = Link(bytesPerSecond: megabits * 125_000)
            link.choices = choices
            var trial = CompressionTrial(gradeCount: link.gradeCount)
            link.send(4_000, &trial)
            let chosen = trial.compresses ? trial.grade : link.gradeCount
            let best = choices.indices.map(link.seconds).min() ?? 0
            #expect(link.seconds(chosen) <= best * 1.1, "choice \(chosen) of \(choices.count)")
        }
    }

    @Test func `a slow link gets the highest compression level after one measurement`() {
        var link = Link(bytesPerSecond: 500_000)
        link.choices = Link.all
        var trial = CompressionTrial(gradeCount: link.gradeCount)
        #expect(trial.grade == 1)
        link.send(300, &trial)
        #expect(trial.grade == 0)
        #expect(link.plainByteCount == 0)
    }

    @Test func `a link that becomes slow is detected`() {
        var (trial, link) = (CompressionTrial(), Link(bytesPerSecond: 1_000_000_000))
        link.send(2_000, &trial)
        #expect(!trial.compresses)
        link.bytesPerSecond = 1_000_000
        link.send(10_000, &trial)
        #expect(trial.compresses)
    }

    @Test func `trials become rarer the longer a link is known`() {
        var (trial, link) = (CompressionTrial(), Link(bytesPerSecond: 12_500_000))
        link.send(100_000, &trial)
        #expect(link.plainByteCount * 50 < link.byteCount)
    }

    /// A chat sends a body now and then: the pauses must not count as transfer time.
    @Test func `pauses between bodies do not count as transfer time`() {
        var trial = CompressionTrial()
        var now: Duration = .zero
        for _ in 0..<1_000 {
            trial.sent(10_000, at: now)
            now += .microseconds(250)
            trial.answered(10_000, at: now)
            now += .seconds(60)
        }
        // 40 MB/s compressed; then uncompressed at the same speed: no gain.
        #expect(trial.compresses)
        #expect(CompressionTrial.slowRate < 40_000_000)
    }

    /// The receiver opens its database, or its disk is busy: 300 ms with few answers.
    @Test func `a slow start is not taken for a slow link`() {
        var link = Link(bytesPerSecond: 1_000_000_000)
        link.choices = Link.all
        var trial = CompressionTrial(gradeCount: link.gradeCount)
        link.send(25, &trial)
        link.wait(.milliseconds(300))
        link.send(10, &trial)
        #expect(trial.compresses && trial.grade == 0)
        link.send(2_000, &trial)
        #expect(!trial.compresses)
    }

    @Test func `a very slow link is detected within a second`() {
        var link = Link(bytesPerSecond: 125_000)
        link.choices = Link.all
        var trial = CompressionTrial(gradeCount: link.gradeCount)
        while trial.grade > 0, link.now < .seconds(10) { link.send(1, &trial) }
        #expect(link.now < .seconds(1), "\(link.now)")
    }

    @Test func `an unexpected acknowledgement changes nothing`() {
        var trial = CompressionTrial()
        trial.answered(1 << 30, at: .zero)
        trial.answered(10, at: .seconds(-1))
        #expect(trial.compresses)
    }
}
