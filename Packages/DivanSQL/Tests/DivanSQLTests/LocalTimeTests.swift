import DivanPlatform
import DivanSQL
import DivanTestKit
import Testing

/// Local times around changes of the clock, compared with those of Python's `zoneinfo`.
@Suite struct LocalTimeTests {
    /// A line of `local-times.tsv`.
    private struct Moment {
        let zone: String
        let local: String
        let milliseconds: Int64
        let offset: Int

        init?(_ line: Substring) {
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 4, let milliseconds = Int64(fields[2]),
                let offset = Int(fields[3])
            else { return nil }
            (zone, local, self.milliseconds, self.offset) =
                (fields[0], fields[1], milliseconds, offset)
        }

        static func all() throws -> [Moment] {
            try Fixture("local-times.tsv").text().split(separator: "\n").compactMap { Moment($0) }
        }

        /// What SQL finds instead of what it should.
        func problems(_ scratch: Scratch) throws -> [String] {
            CurrentProcess.setVariable("TZ", zone)
            let read = try scratch.value("divan_str_to_millis2('\(local)')")
            let shown = try scratch.value("divan_millis_to_str2(\(milliseconds))")
            let expected = try scratch.value("divan_millis_to_tz2(\(milliseconds), \(offset))")
            let swift = DateText.milliseconds(local, isLocal: true)
            var problems: [String] = []
            if read != "\(milliseconds)" { problems.append("\(zone) \(local): \(read)") }
            if swift != milliseconds { problems.append("\(zone) \(local): \(swift ?? -1)") }
            if shown != expected { problems.append("\(zone) \(milliseconds): \(shown)") }
            return problems
        }
    }

    @Test func `local times match those of zoneinfo, in any order`() async throws {
        #expect(try Moment.all().count > 400)
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            let moments = try Moment.all()
            let scratch = try Scratch()
            var problems: [String] = []
            for moment in moments { problems += try moment.problems(scratch) }
            for moment in moments.reversed() { problems += try moment.problems(scratch) }
            for seed in UInt64(0)..<4 {
                var generator = SeededGenerator(seed: seed)
                for moment in moments.shuffled(using: &generator) {
                    problems += try moment.problems(scratch)
                }
            }
            writeProblems(problems)
            CurrentProcess.exit(problems.isEmpty ? 0 : 1)
        }
        #expect(problems(in: result?.standardErrorContent ?? []) == [])
    }
}
