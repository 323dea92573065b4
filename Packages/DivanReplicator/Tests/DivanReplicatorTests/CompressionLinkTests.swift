import Testing

// The trial is internal to the engine.
@testable import DivanReplicator

/// Complete transfers over links with a rate, a latency and a window, in virtual time: the cost of the trial compared
/// to choosing the best grade beforehand.
@Suite struct CompressionLinkTests {
    /// CPU microseconds and bytes on the wire for a body of 1,200 bytes.
    ///
    /// The densest choice first; the last is the uncompressed body. As measured by the benchmark.
    private static let choices: [(microseconds: Double, byteCount: Double)] = [
        (45, 265), (22, 300), (17, 390), (14, 1_390),
    ]

    /// A sender, its link and a receiver that answers at once.
    private struct Transfer {
        var bytesPerSecond: Double
        var latency: Double
        var bodyCount: Int

        /// Bodies in transit, as in `SendWindow`.
        private var window: Int { latency * 2 <= 0.025 ? 200 : 600 }

        /// Seconds until the last answer arrives; `choose` returns the index of the choice for the next body.
        func seconds(
            choose: () -> Int,
            sent: (Duration) -> Void = { _ in },
            answered: (Duration) -> Void = { _ in }
        ) -> Double {
            var (processorFree, linkFree) = (0.0, 0.0)
            var answers: [Double] = []
            var next = 0
            for index in 0..<bodyCount {
                var start = processorFree
                if index >= window { start = max(start, answers[index - window]) }
                while next < index, answers[next] <= start {
                    answered(.seconds(answers[next]))
                    next += 1
                }
                let choice = CompressionLinkTests.choices[choose()]
                sent(.seconds(start))
                processorFree = start + choice.microseconds / 1e6
                linkFree = max(linkFree, processorFree) + choice.byteCount / bytesPerSecond
                answers.append(linkFree + 2 * latency)
            }
            return answers.last ?? 0
        }

        func secondsOfBestChoice() -> Double {
            CompressionLinkTests.choices.indices.map { choice in seconds(choose: { choice }) }.min()
                ?? 0
        }

        func secondsOfTrial() -> Double {
            var trial = CompressionTrial(gradeCount: CompressionLinkTests.choices.count - 1)
            return seconds(
                choose: { trial.compresses ? trial.grade : CompressionLinkTests.choices.count - 1 },
                sent: { trial.sent(1_200, at: $0) },
                answered: { trial.answered(1_200, at: $0) }
            )
        }
    }

    /// A transfer that takes some four seconds with the best choice, and one that takes ten times as long.
    @Test(arguments: [1.0, 10, 100, 1_000], [0.001, 0.02, 0.1])
    func `the compression trial costs at most a tenth of the time`(
        megabits: Double,
        latency: Double
    ) {
        let rate = megabits * 125_000
        for factor in [1, 10] {
            var transfer = Transfer(bytesPerSecond: rate, latency: latency, bodyCount: 1_000)
            let each = transfer.secondsOfBestChoice() / 1_000
            transfer.bodyCount = Int(4 / each) * factor
            let (ours, best) = (transfer.secondsOfTrial(), transfer.secondsOfBestChoice())
            #expect(ours <= best * 1.1, "\(transfer.bodyCount) bodies: \(ours) s, \(best) s")
        }
    }
}
