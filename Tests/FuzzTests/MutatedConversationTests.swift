import CouchbaseLiteSwift
import DivanFuzz
import DivanTestKit
import Foundation
import Testing

/// A hub and a client that follow no rules, against the public `Replicator` and
/// `URLEndpointListener`: a few seconds of mutated conversations each.
///
/// A trap ends the whole test run; the last printed seed and number identify its input.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MutatedConversationTests {
    /// Seconds for each target; `make fuzz` takes its time.
    private static let time = TestLength.of(Duration.seconds(2), long: .seconds(5))

    @Test(arguments: ["replicator", "listener"])
    func `mutated conversations violate no invariant`(name: String) throws {
        let target = try #require(FuzzTargets.all.first { $0.name == name })
        let seed = Self.givenSeed ?? UInt64.random(in: 1...UInt64.max)
        let console = LogSinks.console
        LogSinks.console = nil  // each execution is full of warnings
        defer { LogSinks.console = console }
        print("\(name): DIVAN_FUZZ_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let seeds = try target.seeds() + KeptInputs.inputs(of: name)
        let start = ContinuousClock.now
        var count = 0
        while ContinuousClock.now - start < Self.time {
            let base = seeds[Int.random(in: seeds.indices, using: &generator)]
            let change = UInt64.random(in: 0...UInt64.max, using: &generator)
            let changed = target.mutated(base, limit: 60_000, seed: change)
            let input = try #require(changed, "\(name) has conversations")
            count += 1
            if count.isMultiple(of: 100) { print("\(name): \(count) conversations") }
            let violation = target.violation(of: input)
            try #require(violation == nil, "seed \(seed), conversation \(count)")
        }
        #expect(count > 5, "\(count) conversations are too few to tell anything")
    }

    /// Repeats a failed run.
    private static var givenSeed: UInt64? {
        ProcessInfo.processInfo.environment["DIVAN_FUZZ_SEED"].flatMap { UInt64($0) }
    }
}
