import DivanPlatform
import DivanTestKit
import Testing

/// A function's value depends on its arguments and the time zone only: not on rows, calls or threads before it.
@Suite struct IndependenceTests {
    /// A call of a function with the arguments of one row.
    private struct Call: Sendable {
        let function: String
        let arguments: [String]

        var text: String { "\(function)(\(arguments.joined(separator: ", ")))" }

        /// The value, or the error, that a connection finds.
        func value(_ scratch: Scratch) -> String {
            do { return try scratch.value(text) } catch { return "error: \(error)" }
        }
    }

    private static let pool = [
        "NULL", "x''", "x'01'", "x'02'", "0", "1", "-1", "2", "7", "60", "-330", "2.5", "-0.5",
        "1e300",
        "9007199254740993", "-9223372036854775808", "1616893800000", "1635643800000",
        "951782400000.5",
        "''", "'a'", "'Ärger'", "'straße'", "' b\u{A0}'", "'12ab'", "'0x10'", "'1.5'", "'a%_b'",
        "'%a%'",
        "'[ab]+'", "'(a)(b)?'", "'$1-$2'", "'2021-03-28T02:30:00'", "'2021-10-31T02:30:00'",
        "'2021-10-31T01:30:00Z'", "'2000-02-29'", "'12:34'", "'day'", "'month'", "'hour'",
        "'%F %T'",
        "'1111-11-11'", "'.a'", "'.a[1].b'", "CAST('[1,2.5,\"a\",null]' AS BLOB)",
        "CAST('[3]' AS BLOB)",
        "CAST('{\"b\":1,\"a\":[0,{\"b\":true}]}' AS BLOB)", "'{\"a\":[1,{\"b\":\"\\u00e4\"}]}'",
        "divan_terms1('+*', 2, 3)",
    ]
    /// The time zone decides about them.
    private static let local = ["str_to_millis", "str_to_utc", "str_to_tz", "millis_to_str"]

    /// Calls of every function that has a value for a row.
    private static func calls(_ generator: inout SeededGenerator) throws -> [Call] {
        let functions = try Scratch().rows(
            "SELECT DISTINCT name, narg FROM pragma_function_list WHERE name LIKE 'divan\\_%' ESCAPE '\\' "
                + "AND type = 's' ORDER BY name, narg"
        )
        #expect(functions.count > 100)
        return functions.flatMap { function in
            let name = String(function[0].dropFirst().dropLast())
            let counts = Int(function[1]).map { $0 < 0 ? [2, 3] : [$0] } ?? []
            return counts.flatMap { count in
                (0..<(count == 0 ? 1 : 12)).map { _ in
                    let arguments = (0..<count).map { _ in
                        pool[Int.random(in: pool.indices, using: &generator)]
                    }
                    return Call(function: name, arguments: arguments)
                }
            }
        }
    }

    @Test(arguments: UInt64(0)..<2)
    func `a function returns the same value alone and after any other call`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let calls = try Self.calls(&generator)
        let alone = try calls.map { $0.value(try Scratch()) }
        let shared = try Scratch()
        for index in calls.indices.shuffled(using: &generator) {
            #expect(calls[index].value(shared) == alone[index], "\(calls[index].text)")
        }
    }

    @Test(arguments: UInt64(0)..<2)
    func `a function returns the same value in any row order`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let calls = try Self.calls(&generator)
        let alone = try calls.map { $0.value(try Scratch()) }
        for (function, group) in Dictionary(grouping: calls.indices, by: { calls[$0].function }) {
            let indices = group.filter { !alone[$0].hasPrefix("error") }
            for (count, rows) in Dictionary(grouping: indices, by: { calls[$0].arguments.count })
            where count > 0 {
                let names = (0..<count).map { "a\($0)" }.joined(separator: ", ")
                let values = rows.shuffled(using: &generator).map { index in
                    "SELECT \(index), \(calls[index].arguments.joined(separator: ", "))"
                }
                let found = try Scratch().rows(
                    "WITH t(n, \(names)) AS MATERIALIZED (\(values.joined(separator: " UNION ALL "))) "
                        + "SELECT n, \(function)(\(names)) FROM t"
                )
                for row in found {
                    let index = try #require(Int(row[0]))
                    #expect(row[1] == alone[index], "\(calls[index].text)")
                }
            }
        }
    }

    @Test func `a function returns the same value on any thread`() async throws {
        var generator = SeededGenerator(seed: 1)
        let calls = try Self.calls(&generator)
        let alone = try calls.map { $0.value(try Scratch()) }
        try await withThrowingTaskGroup(of: [String].self) { group in
            for seed in UInt64(0)..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed)
                    let scratch = try Scratch()
                    return calls.indices.shuffled(using: &generator).filter { index in
                        calls[index].value(scratch) != alone[index]
                    }.map { calls[$0].text }
                }
            }
            for try await differing in group { #expect(differing == []) }
        }
    }

    /// In a process of its own, since the zone is that of the process.
    @Test func `a function depends on the current time zone at most, not on earlier ones`()
        async throws
    {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            var generator = SeededGenerator(seed: 2)
            let calls = try IndependenceTests.calls(&generator)
            let zones = ["Europe/Berlin", "America/New_York", "UTC", "Australia/Lord_Howe"]
            var values: [String: [String]] = [:]
            var problems: [String] = []
            for round in 0..<12 {
                let zone =
                    round < 4 ? zones[round] : zones.randomElement(using: &generator) ?? "UTC"
                CurrentProcess.setVariable("TZ", zone)
                let scratch = try Scratch()
                let indices = calls.indices.shuffled(using: &generator)
                var found = Array(repeating: "", count: calls.count)
                for index in indices { found[index] = calls[index].value(scratch) }
                let expected = values[zone, default: found]
                values[zone] = expected
                let utc = values["UTC"]
                for index in calls.indices {
                    let isLocal = IndependenceTests.local.contains {
                        calls[index].function.hasPrefix("divan_\($0)")
                    }
                    let isSame =
                        found[index] == expected[index]
                        && (isLocal || utc == nil || found[index] == utc?[index])
                    if !isSame { problems.append("\(zone): \(calls[index].text)") }
                }
            }
            writeProblems(problems)
            CurrentProcess.exit(problems.isEmpty ? 0 : 1)
        }
        #expect(problems(in: result?.standardErrorContent ?? []) == [])
    }
}
