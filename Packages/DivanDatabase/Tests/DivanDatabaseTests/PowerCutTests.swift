import CDivanDatabaseFaults
import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

extension FaultTests {
    /// The power is cut: what had been synced is there; of the rest, any part, in any order.
    ///
    /// It is cut again while what is left is opened and written. With full sync everything acknowledged
    /// is there afterwards. Without, what is there is the result of some number of the first steps, none
    /// of them in part. `DIVAN_THOROUGH=1` (`make crash`) tries every moment.
    @Suite struct PowerCutTests {
        private static let isThorough =
            ProcessInfo.processInfo.environment["DIVAN_THOROUGH"] != nil

        @Test(arguments: [false, true], [false, true])
        func `a power cut at any moment leaves the result of some number of first steps`(
            fullSync: Bool,
            isSealed: Bool
        ) throws {
            let options = StoreOptions(
                fullSync: fullSync,
                sealing: isSealed ? try TestSealing(1) : nil
            )
            try cut(FaultScript.steps(), options)
        }

        @Test(arguments: [false, true], [false, true])
        func `a power cut at any moment leaves indexes complete or absent`(
            fullSync: Bool,
            isSealed: Bool
        ) throws {
            let sealing = isSealed ? try TestSealing(1) : nil
            try cut(FaultScript.indexing(), StoreOptions(fullSync: fullSync, sealing: sealing))
        }

        @Test(arguments: [false, true], [false, true])
        func `a power cut at any moment leaves a vector index that matches the documents`(
            fullSync: Bool,
            isSealed: Bool
        ) throws {
            let sealing = isSealed ? try TestSealing(1) : nil
            try cut(FaultScript.searching(), StoreOptions(fullSync: fullSync, sealing: sealing))
        }

        @Test(arguments: [false, true], [false, true])
        func `a power cut while upgrading to version vectors loses nothing`(
            fullSync: Bool,
            isSealed: Bool
        ) throws {
            let sealing = isSealed ? try TestSealing(1) : nil
            try cut(FaultScript.upgrading(), StoreOptions(fullSync: fullSync, sealing: sealing))
        }

        private func cut(_ steps: [ExpectedContents.Step], _ options: StoreOptions) throws {
            let isSealed = options.sealing != nil
            try #require(divan_faults_install() == 0)
            let seed = TestSeed.choose(below: 1_000_000)
            var generator = SeededGenerator(seed: seed)
            let home = try TemporaryDirectory()
            let path = home.file("a.cblite2")
            // A bundle is assembled under another name; its contents have been synced when it gets its final name.
            try Store.open(directory: path, options: options).close()
            let whole = Data(try Data(contentsOf: URL(filePath: path + "/db.sqlite3")))
            let before = [path + "/db.sqlite3": Array(whole)]
            let cut = try record(steps, at: path, in: home, options)
            var moment = 0
            while moment < cut.count {
                let place = "seed \(seed), moment \(moment) of \(cut.count)"
                let remains = cut.remains(of: before, at: moment, using: &generator)
                let count = remains.stepCount
                try put(remains.files, in: path)
                divan_faults_record(home.path)
                let first = try problems(path, steps, count, options)
                #expect(first == [], "\(place), \(count) steps acknowledged")
                let next = PowerCut()
                let again = Int.random(in: 0..<next.count, using: &generator)
                let rest = next.remains(of: remains.files, at: again, using: &generator)
                try put(rest.files, in: path)
                let second = try problems(path, steps, count, options)
                #expect(second == [], "\(place), then \(again), \(count) steps acknowledged")
                let usual = isSealed ? 1...9 : 1...19
                let step = TestLength.of(10...40, long: usual)
                moment += Self.isThorough ? 1 : Int.random(in: step, using: &generator)
            }
        }

        /// Replaces the database's files by these.
        private func put(_ files: [String: [UInt8]], in directory: String) throws {
            for file in try FileManager.default.contentsOfDirectory(atPath: directory)
            where file.contains("sqlite") {
                try FileManager.default.removeItem(atPath: directory + "/" + file)
            }
            for (file, bytes) in files { try Data(bytes).write(to: URL(filePath: file)) }
        }

        /// Runs the steps, with a mark after each.
        private func record(
            _ steps: [ExpectedContents.Step],
            at path: String,
            in home: TemporaryDirectory,
            _ options: StoreOptions
        ) throws -> PowerCut {
            divan_faults_record(home.path)
            let store = try Store.open(directory: path, options: options)
            for (index, step) in steps.enumerated() {
                try step.run(store)
                divan_faults_mark(Int64(index + 1))
            }
            let cut = PowerCut()
            try store.close()
            return cut
        }

        /// What is wrong with a database: no number of steps explains it, or too few are left.
        private func problems(
            _ path: String,
            _ steps: [ExpectedContents.Step],
            _ acknowledgedCount: Int,
            _ options: StoreOptions
        ) throws -> [String] {
            let store = try Store.open(directory: path, options: options)
            defer { try? store.close() }
            let damages = try store.inspect().damages
            guard damages.isEmpty else { return damages.map { "\($0)" } }
            let counts =
                (options.fullSync ? acknowledgedCount : 0)...min(acknowledgedCount + 1, steps.count)
            var reasons: [String] = []
            for count in counts.reversed() {
                var expected = ExpectedContents()
                for step in steps.prefix(count) { expected.expect(step) }
                for step in steps.dropFirst(count) { expected.expectNothing(of: step) }
                reasons = try expected.problems(about: store)
                if reasons.isEmpty {
                    _ = try store.save("afterwards", in: .default, body: Array("{}".utf8))
                    return []
                }
            }
            return reasons
        }
    }
}
