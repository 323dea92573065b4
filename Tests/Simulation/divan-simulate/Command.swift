import DivanFleet
import DivanPlatform
import Foundation

/// The options of the command line.
struct Command {
    static let usage = """
        usage: divan-simulate [--seeds N] [--first SEED]   run N seeds, print the first that fails,
                                                           with --all each one in a line
               divan-simulate --seed SEED [--trace]        run one, twice, and compare
               divan-simulate --bug NAME [--seeds N]       build in a mistake; say who caught it
               divan-simulate --bugs [--seeds N]           the same for every mistake;
                                                           with --fleet vectors for theirs
               divan-simulate --interrupted [--documents N] [--cuts N]
        options: --peers N   nodes, in place of what the seed draws
                 --fleet F   how revisions are named: trees (as a rule), vectors, mixed
                 --files     all databases are SQLite files on disks that fail and lose power
                 --only 3,7  actions to carry out; --without 2,5  nodes to leave out
                 --calm      a good network
                 --no-shrink
        """

    private var seedCount = 200
    private var firstSeed: UInt64 = 1
    private var seed: UInt64?
    private var bug: SeededBug?
    private var runsAllBugs = false
    private var peerCount: Int?
    private var fleet = Fleet.trees
    private var selection: Set<Int>?
    private var absentNodes: Set<Int> = []
    private var isCalm = false
    private var usesFiles = false
    private var keepsTrace = false
    private var shrinks = true
    private var namesAll = false
    private var isInterrupted = false
    private var documentCount = 100_000
    private var cutCount = 20

    /// Parses the words; `nil` if one of them is unknown.
    init?(_ words: ArraySlice<String>) {
        var words = words
        while let word = words.popFirst() {
            guard take(word, &words) else { return nil }
        }
    }

    private mutating func take(_ word: String, _ words: inout ArraySlice<String>) -> Bool {
        switch word {
        case "--bugs": runsAllBugs = true
        case "--calm": isCalm = true
        case "--files": usesFiles = true
        case "--trace": keepsTrace = true
        case "--no-shrink": shrinks = false
        case "--all": namesAll = true
        case "--interrupted": isInterrupted = true
        default:
            guard let value = words.popFirst() else { return false }
            return take(word, value)
        }
        return true
    }

    private mutating func take(_ word: String, _ value: String) -> Bool {
        switch word {
        case "--seeds": return set(\.seedCount, value)
        case "--first":
            // Room for as many seeds as there may be.
            guard let first = UInt64(value), first <= UInt64(Int.max) else { return false }
            firstSeed = first
        case "--seed":
            seed = UInt64(value)
            return seed != nil
        case "--peers":
            peerCount = Int(value)
            return peerCount.map { $0 > 0 } ?? false
        case "--fleet":
            guard let named = Fleet(rawValue: value) else { return false }
            fleet = named
        case "--documents": return set(\.documentCount, value)
        case "--cuts": return set(\.cutCount, value)
        case "--only":
            selection = Self.list(value)
            return selection != nil
        case "--without":
            guard let nodes = Self.list(value) else { return false }
            absentNodes = nodes
        case "--bug":
            bug = SeededBug(rawValue: value)
            return bug != nil
        default: return false
        }
        return true
    }

    /// Takes a count, which is above zero: a run of nothing would be green.
    private mutating func set(_ count: WritableKeyPath<Self, Int>, _ value: String) -> Bool {
        guard let number = Int(value), number > 0 else { return false }
        self[keyPath: count] = number
        return true
    }

    /// The numbers of a list such as `3,7`; `nil` where one of them is none.
    private static func list(_ value: String) -> Set<Int>? {
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }
        return numbers.count == parts.count ? Set(numbers) : nil
    }

    // MARK: Running

    /// Does what was requested; returns whether it succeeded.
    func run() -> Bool {
        if isInterrupted { return runInterrupted() }
        if runsAllBugs {
            return runBugs(SeededBug.allCases.filter { $0.isOfVectors == (fleet != .trees) })
        }
        if let seed { return runOne(seed) }
        if let bug { return runBugs([bug]) }
        return runSeeds()
    }

    /// Prints at once, even into a pipe.
    private func print(_ text: some Any) {
        Swift.print(text)
        CurrentProcess.flushStandardOutput()
    }

    private func simulation(_ seed: UInt64) -> Simulation {
        var simulation = Simulation(seed: seed, bug: bug)
        simulation.peerCount = peerCount
        simulation.fleet = fleet
        simulation.selection = selection
        simulation.absentNodes = absentNodes
        simulation.isCalm = isCalm
        simulation.usesFiles = usesFiles
        return simulation
    }

    private var seeds: Range<UInt64> { firstSeed..<(firstSeed + UInt64(max(0, seedCount))) }

    private func runSeeds() -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        var (tally, failedCount) = (Tally(), 0)
        for seed in seeds {
            let outcome = simulation(seed).run()
            tally.add(outcome)
            if let violation = outcome.violations.first {
                failedCount += 1
                guard namesAll else {
                    explain(outcome)
                    return false
                }
                print("seed \(seed) fails, \(outcome.violations.count): \(violation)")
            }
            if seed % 100 == 0 { print("\(seed): \(tally.text)") }
        }
        let seconds = (clock.now - start) / .seconds(1)
        let result = failedCount == 0 ? "green" : "of which \(failedCount) fail"
        print(
            "simulate: \(seedCount) seeds from \(firstSeed) \(result) in \(Int(seconds)) s; \(tally.text)"
        )
        return failedCount == 0
    }

    private func runOne(_ seed: UInt64) -> Bool {
        let outcome = simulation(seed).run(keepsTrace: keepsTrace)
        for line in outcome.trace { print(line) }
        print(outcome.summary)
        print("trace \(String(outcome.traceHash, radix: 16)), \(Tally(outcome).text)")
        let again = simulation(seed).run()
        guard again.traceHash == outcome.traceHash else {
            print("simulate: seed \(seed) took another way the second time")
            return false
        }
        for violation in outcome.violations { print(violation) }
        return outcome.violations.isEmpty
    }

    private func explain(_ outcome: Outcome) {
        print("simulate: seed \(outcome.simulation.seed) fails\n\(outcome.summary)")
        for violation in outcome.violations { print("  \(violation)") }
        let again = outcome.simulation.run()
        print(
            "trace \(String(outcome.traceHash, radix: 16)), repeated: "
                + (again.traceHash == outcome.traceHash ? "the same" : "ANOTHER")
        )
        guard shrinks, var shrinker = Shrinker(outcome) else { return }
        shrinker.shrink()
        let short = shrinker.simulation.run(keepsTrace: true)
        print("shortest of \(shrinker.runCount) runs:")
        for line in short.trace { print(line) }
        print("repeat it with: divan-simulate \(shrinker.simulation.arguments) --trace")
    }

    // MARK: Bugs

    private func runBugs(_ bugs: [SeededBug]) -> Bool {
        print("| bug | first seed | caught | as |\n|---|---|---|---|")
        var allCaught = true
        for bug in bugs {
            var first: UInt64?
            var kinds: [String: Int] = [:]
            var count = 0
            for seed in seeds {
                var simulation = simulation(seed)
                simulation.bug = bug
                guard let violation = simulation.run().violations.first else { continue }
                first = first ?? seed
                count += 1
                kinds[violation.kind.rawValue, default: 0] += 1
            }
            let names = kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "\($0.key) \($0.value)" }
            let seedText = first.map { "\($0)" } ?? "–"
            print(
                "| \(bug.rawValue) | \(seedText) | \(count) of \(seedCount) | "
                    + names.joined(separator: ", ") + " |"
            )
            if first == nil { allCaught = false }
        }
        return allCaught
    }

    private func runInterrupted() -> Bool {
        let outcome = InterruptedSync(documentCount: documentCount, cutCount: cutCount).run()
        print(outcome.text)
        return outcome.isGood
    }
}
