import DivanFleet
import DivanTestKit
import Testing

/// Some seeds of the thousands that `make simulate` runs.
@Suite struct SimulationTests {
    /// The first ones, and some with errors that no others had found.
    @Test(
        arguments: TestLength.of(
            [2, 3, 640, 2784, 7430, 8289],
            long: Array(UInt64(1)...24) + [640, 1171, 2589, 2784, 7430, 8289]
        )
    )
    func `peers converge and lose nothing despite random failures`(seed: UInt64) {
        let outcome = Simulation(seed: seed).run()
        #expect(outcome.violations == [], "divan-simulate --seed \(seed) --trace")
    }

    /// The first ones, and some that show errors with vectors and with what a peer sent last.
    @Test(
        arguments: TestLength.of(
            [13, 90, 145, 227, 476],
            long: Array(UInt64(1)...8) + [13, 58, 87, 90, 123, 145, 208, 227, 268, 476]
        )
    )
    func `peers with version vectors converge and lose nothing`(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        simulation.fleet = .vectors
        #expect(simulation.run().violations == [], "divan-simulate --fleet vectors --seed \(seed)")
    }

    /// The databases are files whose writes, syncs and reads fail, and which lose what was not synced
    /// in a power cut.
    @Test(arguments: UInt64(1)...TestLength.of(3, long: 10))
    func `peers on failing disks converge and lose nothing`(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        simulation.usesFiles = true
        #expect(simulation.run().violations == [], "divan-simulate --files --seed \(seed)")
    }

    @Test func `the same seed gives the same run`() {
        let first = Simulation(seed: 4).run(keepsTrace: true)
        let second = Simulation(seed: 4).run(keepsTrace: true)
        #expect(first.trace == second.trace)
        #expect(first.traceHash == second.traceHash)
        #expect(first.statistics == second.statistics)
        #expect(Simulation(seed: 5).run().traceHash != first.traceHash)
    }

    /// Each bug, and a seed that shows it.
    ///
    /// If runs are drawn differently than before, `divan-simulate --bug NAME --seeds 1000` finds another seed. If
    /// there is none, the bug is no longer detected, or has become harmless: find out which.
    static let seeds: [SeededBug: UInt64] = [
        .checkpointBeforeData: 17, .sequenceSkipped: 5, .echoNotSuppressed: 1,
        .tombstoneDropped: 4, .blobNotFetched: 1, .deltaOnWrongBase: 9, .historyTruncated: 1,
        .winnerReversed: 5, .filterIgnored: 1, .checksumUnchecked: 1, .restoredCheckpointKept: 61,
        .lineageLost: 6948, .mutualClosing: 21, .acknowledgedBeforeStored: 5, .syncSkipped: 4,
        .timeRounded: 7, .loserForgotten: 9, .meOnTheWire: 1, .ownTakenForKnown: 11,
        .vectorOverstated: 1, .clockStands: 2008,
    ]

    /// Except for one, whose runs never rest, and last for minutes.
    private static let bugs = SeededBug.allCases.filter { $0 != .pingPong }
    private static let fewBugs: [SeededBug] = [
        .checkpointBeforeData, .tombstoneDropped, .deltaOnWrongBase, .winnerReversed,
        .restoredCheckpointKept, .ownTakenForKnown,
    ]

    @Test(arguments: TestLength.of(fewBugs, long: bugs))
    func `the simulation detects a seeded bug`(bug: SeededBug) throws {
        let first = try #require(Self.seeds[bug], "no seed is named for \(bug.rawValue)")
        let caught = (first..<first + 10).contains { seed in
            var simulation = Simulation(seed: seed, bug: bug)
            if bug.isOfVectors { simulation.fleet = .vectors }
            return !simulation.run().violations.isEmpty
        }
        let fleet = bug.isOfVectors ? "--fleet vectors " : ""
        #expect(caught, "divan-simulate \(fleet)--bug \(bug.rawValue) --first \(first) --seeds 10")
    }

    /// Only a few of the actions of a failing run cause the failure.
    @Test func `a failing run is shrunk to a short failing run`() throws {
        let failing = (UInt64(1)...40).lazy
            .map { Simulation(seed: $0, bug: .blobNotFetched).run() }
            .first { !$0.violations.isEmpty }
        let outcome = try #require(failing)
        var shrinker = try #require(Shrinker(outcome, runLimit: 60))
        shrinker.shrink()
        let short = shrinker.simulation.run()
        #expect(short.violations.first?.kind == outcome.violations.first?.kind)
        #expect((shrinker.simulation.selection?.count ?? .max) <= 10)
        #expect(shrinker.simulation.arguments.contains("--only "))
    }

    /// All arrive, pulled and pushed; `divan-simulate --interrupted` checks how many are sent twice.
    @Test func `an interrupted sync resumes where it stopped`() {
        let outcome = InterruptedSync(documentCount: 2_000, cutCount: 3).run()
        let directions = outcome.text.split(separator: "\n")
        #expect(directions.count == 2, "\(outcome.text)")
        for direction in directions {
            #expect(direction.contains(": 2000 arrived"), "\(outcome.text)")
            #expect(!direction.contains("lost 0 times"), "\(outcome.text)")
        }
    }
}
