import CouchbaseLiteSwift
import DivanFuzz
import DivanTestKit
import Foundation
import Testing

/// A hub and a client that follow no rules, against the public `Replicator` and
/// `URLEndpointListener`: some mutated conversations each.
///
/// A trap ends the whole test run; the last printed seed and number identify its input.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MutatedConversationTests {
    /// Conversations with each target; `make fuzz` has many more.
    private static let count = TestLength.of(30, long: 200)

    @Test(arguments: ["replicator", "listener"])
    func `mutated conversations violate no invariant`(name: String) throws {
        let target = try #require(FuzzTargets.all.first { $0.name == name })
        let seed = TestSeed.choose()
        let console = LogSinks.console
        LogSinks.console = nil  // each execution is full of warnings
        defer { LogSinks.console = console }
        print("\(name): DIVAN_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let seeds = try target.seeds() + KeptInputs.inputs(of: name)
        for number in 1...Self.count {
            let base = seeds[Int.random(in: seeds.indices, using: &generator)]
            let change = UInt64.random(in: 0...UInt64.max, using: &generator)
            let changed = target.mutated(base, limit: 60_000, seed: change)
            let input = try #require(changed, "\(name) has conversations")
            if number.isMultiple(of: 10) { print("\(name): \(number) conversations") }
            let violation = target.violation(of: input)
            try #require(violation == nil, "seed \(seed), conversation \(number)")
        }
    }
}
