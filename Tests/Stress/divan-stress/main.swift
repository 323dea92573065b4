import DivanLZ4
import DivanPlatform
import DivanStress
import DivanZlib
import Foundation

// divan-stress [MESSAGES [SEED]]: prints each seed and the rate; fails with the seed to repeat.

/// Messages of one pair of connections; then a new pair continues with the next seed.
let messagesPerStorm = 20_000

let words = CommandLine.arguments.dropFirst()
guard let wanted = Int(words.first ?? "1000000"), wanted > 0,
    let firstSeed = UInt64(words.dropFirst().first ?? "1")
else {
    print("usage: divan-stress [MESSAGES [SEED]]")
    CurrentProcess.exit(64)
}

let clock = ContinuousClock()
let start = clock.now
var arrivedCount = 0
var byteCount = 0
var seed = firstSeed
while arrivedCount < wanted {
    let count = min(messagesPerStorm, wanted - arrivedCount)
    let isDeflate = seed % 2 == 1
    var storm =
        isDeflate
        ? MessageStorm(seed: seed, messageCount: count, codec: .deflate)
        : MessageStorm(seed: seed, messageCount: count, codec: .lz4)
    do {
        let outcome = try storm.run()
        guard outcome.mistakes.isEmpty else {
            print(outcome.mistakes.joined(separator: "\n"))
            print("stress: failed; repeat it with `divan-stress \(count) \(seed)`")
            CurrentProcess.exit(1)
        }
        arrivedCount += outcome.arrivedCount
        byteCount += outcome.byteCount
    } catch {
        print("\(error)\nstress: failed; repeat it with `divan-stress \(count) \(seed)`")
        CurrentProcess.exit(1)
    }
    seed += 1
}
let seconds = (clock.now - start) / .seconds(1)
print(
    "stress: \(arrivedCount) messages arrived equal, seeds \(firstSeed) to \(seed - 1), "
        + "\(byteCount / 1_000_000) MB on the wire, \(Int(seconds)) s, "
        + "\(Int(Double(arrivedCount) / seconds)) messages/s, "
        + "\(Int(Double(byteCount) / seconds / 1_000_000)) MB/s"
)
