import DivanDatabase
import DivanIndexTrial
import DivanPlatform
import DivanTestKit
import Foundation

/// Starts writers, kills each at a random moment, and compares what is left with what was reported.
struct Killer {
    /// Rounds on one database before a new one is created.
    private static let roundsPerDatabase = 25
    /// Bounds of a writer's life: from before it has opened anything to some hundred steps.
    private static let lifeMilliseconds = 1...250

    private let seed: UInt64
    private var generator: SeededGenerator
    private let home: TemporaryDirectory
    private(set) var failures: [String] = []
    private var counts = Counts()

    private struct Counts {
        var rounds = 0
        var acknowledged: UInt64 = 0
        var survivedUntold = 0
        var blobs = 0
        var indexes = IndexCounts()
        var packing = PackingCounts()
        var beforeFirst = 0
    }

    /// What was queried in databases with their indexes and without.
    private struct IndexCounts {
        /// Databases that had none; those that had at least four.
        var none = 0
        var many = 0
        var all = 0
        var answers = 0

        mutating func add(_ count: IndexTrial.Count) {
            if count.indexes == 0 { none += 1 }
            if count.indexes >= 4 { many += 1 }
            all += count.indexes
            answers += count.throughIndexes
        }
    }

    /// Rounds on databases whose bodies may be packed.
    private struct PackingCounts {
        var databases = 0
        var rounds = 0
        /// Rounds that left packed bodies, and those of them that also left others: plain ones, or
        /// those of another dictionary.
        var packed = 0
        var mixed = 0

        mutating func add(_ bodies: PackedBodies?) {
            guard let bodies, bodies.packedCount > 0 else { return }
            packed += 1
            let isOfOneDictionary = bodies.allDictionariesByteCount == bodies.dictionaryByteCount
            if bodies.packedCount < bodies.seenCount || !isOfOneDictionary { mixed += 1 }
        }
    }

    /// What is known about the current database.
    private struct Known {
        let path: String
        let seed: UInt64
        let kind: DatabaseKind
        var states = Lane.all.map { _ in LaneState() }
        var next = Lane.all.map { _ in UInt64(0) }

        var packsBodies: Bool { Operation.packsBodies(seed) }
    }

    init(seed: UInt64) throws {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        home = try TemporaryDirectory()
    }

    mutating func run(rounds: Int) throws {
        var known: Known?
        for round in 0..<rounds {
            if known == nil || round.isMultiple(of: Self.roundsPerDatabase) {
                let number = round / Self.roundsPerDatabase
                known = Known(
                    path: home.file("crash-\(round).cblite2"),
                    seed: databaseSeed(number),
                    kind: DatabaseKind.all[number % DatabaseKind.all.count]
                )
                if known?.packsBodies == true { counts.packing.databases += 1 }
            }
            guard var current = known else { return }
            counts.rounds += 1
            if current.packsBodies { counts.packing.rounds += 1 }
            do {
                let told = try kill(current)
                try inspect(told, &current)
                known = current
            } catch {
                failures.append("seed \(seed), round \(round): \(error)")
                known = nil
            }
        }
    }

    /// Every other database packs its bodies, and within eight each kind does so once and does not once.
    private mutating func databaseSeed(_ number: Int) -> UInt64 {
        let kinds = DatabaseKind.all.count
        return generator.next() & ~1 | (UInt64(number + number / kinds) &+ seed) & 1
    }

    /// Returns how many steps of each lane were reported before the process ended.
    private mutating func kill(_ known: Known) throws -> [UInt64] {
        let writer = try Program.current.start(
            [
                "write", known.path, "\(known.seed)", "\(known.kind.fullSync)",
                "\(known.kind.isSealed)",
            ]
                + known.next.map { "\($0)" },
            patience: .seconds(60)
        )
        // Two of three are killed while working, however long this machine takes to start one.
        if Int.random(in: 0..<3, using: &generator) > 0 { _ = try writer.line() }
        let life = Int.random(in: Self.lifeMilliseconds, using: &generator)
        CurrentThread.sleep(milliseconds: life)
        let outcome = writer.kill()
        guard outcome.isSignalled else { throw CrashFailure("the writer ended with \(outcome)") }
        var told = known.next
        for line in outcome.lines {
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            guard numbers.count == 2, let lane = Int(exactly: numbers[0]), lane < told.count else {
                throw CrashFailure("the writer told \(line)")
            }
            told[lane] = numbers[1] + 1
        }
        return told
    }

    private mutating func inspect(_ told: [UInt64], _ known: inout Known) throws {
        let acknowledged = zip(told, known.next).reduce(0) { $0 + ($1.0 - $1.1) }
        counts.acknowledged += acknowledged
        if acknowledged == 0 { counts.beforeFirst += 1 }
        if !Store.exists(directory: known.path), told.allSatisfy({ $0 == 0 }) { return }
        let store = try Store.open(
            directory: known.path,
            options: try known.kind.options(create: false)
        )
        defer { try? store.close() }
        try store.checkIntegrity()
        counts.packing.add(try store.read { try $0.packedBodies()[.default] })
        for lane in Lane.all {
            let index = lane.number
            var state = known.states[index]
            for step in known.next[index]..<told[index] {
                state.apply(Operation(seed: known.seed, lane: lane, step: step))
            }
            known.next[index] = told[index]
            let found = try LaneState(of: lane, store, blobCount: &counts.blobs)
            if found != state {
                // The step in progress may have been committed, completely.
                let owed = state
                state.apply(Operation(seed: known.seed, lane: lane, step: told[index]))
                known.next[index] += 1
                counts.survivedUntold += 1
                guard found == state else {
                    throw CrashFailure("lane \(index): \(found.difference(from: owed))")
                }
            }
            known.states[index] = state
        }
        let trial = IndexTrial(
            store: store,
            questions: CrashIndex.questions,
            text: "text",
            words: Operation.words
        )
        counts.indexes.add(try trial.check())
    }

    /// What was done, and what went wrong.
    var summary: String {
        let outcome =
            failures.isEmpty
            ? "nothing that was acknowledged is missing, nothing is there by halves"
            : "\(failures.count) FAILED:\n" + failures.joined(separator: "\n")
        return """
            crash: seed \(seed), \(counts.rounds) writers killed \
            (\(counts.beforeFirst) before their first acknowledgement)
              \(counts.acknowledged) steps acknowledged; \
            \(counts.survivedUntold) more had been committed and not yet told
              \(counts.blobs) blobs of documents read and hashed
              \(counts.packing.rounds) rounds on \(counts.packing.databases) databases that compress \
            bodies; \(counts.packing.packed) left compressed ones, \(counts.packing.mixed) of those in more \
            than one form
              \(counts.indexes.answers) answers through \(counts.indexes.all) indexes are those \
            of scans; \(counts.indexes.none) databases had no index, \(counts.indexes.many) four or more
              \(outcome)
            """
    }
}
