import DivanTestKit
import Foundation
import Testing

/// The verdict on an Autobahn run, from indexes in the suite's format.
@Suite struct AutobahnReportTests {
    /// The sizes of the suite's groups, without those of compression.
    static let groups = [1: 16, 2: 11, 3: 7, 4: 10, 5: 20, 6: 145, 7: 37, 9: 54, 10: 1]

    /// An index with 303 cases, all as expected.
    func index(_ changes: [String: String] = [:], closing: [String: String] = [:]) -> String {
        var numbers = Self.groups.flatMap { group, count in (1...count).map { "\(group).\($0)" } }
        numbers += ["12.1.1", "13.1.1"]
        let cases = numbers.map { number in
            let isCompression = number.hasPrefix("12") || number.hasPrefix("13")
            let verdict = changes[number] ?? (isCompression ? "UNIMPLEMENTED" : "OK")
            return """
                "\(number)": {"behavior": "\(verdict)", "duration": 3,
                 "behaviorClose": "\(closing[number] ?? "OK")", "remoteCloseCode": null}
                """
        }
        return "{\"divan\": {\(cases.joined(separator: ","))}}"
    }

    /// Runs the verdict with one index for our server and a correct one for our client.
    func judge(_ server: String) throws -> (outcome: Program.Outcome, page: String) {
        let folder = NSTemporaryDirectory() + "autobahn-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let paths = ["server.json", "client.json", "page.md"].map { "\(folder)/\($0)" }
        for (path, text) in zip(paths, [server, index()]) {
            try Data(text.utf8).write(to: URL(filePath: path))
        }
        let outcome = try Program.built("websocket-autobahn").run(
            ["report", paths[2], paths[0], paths[1], "Python=3.11"]
        )
        let page = FileManager.default.contents(atPath: paths[2]) ?? Data()
        return (outcome, String(decoding: page, as: UTF8.self))
    }

    @Test func `a passing run is summarized`() throws {
        let (outcome, page) = try judge(index(["3.2": "NON-STRICT"]))
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(page.contains("| server | 303 | 300 | 1 | 0 | 2 | 0 | 0 |"))
        #expect(page.contains("| client | 303 | 301 | 0 | 0 | 2 | 0 | 0 |"))
        #expect(page.contains("- server: NON-STRICT 3.2; INFORMATIONAL none;"))
        #expect(page.contains("Python 3.11"))
    }

    @Test(arguments: [
        ("1.1", "FAILED"), ("6.5", "NON-STRICT"), ("7.2", "INFORMATIONAL"), ("2.3", "WRONG CODE"),
        ("9.1", "UNIMPLEMENTED"), ("12.1.1", "OK"),
    ])
    func `an unexpected verdict fails the run`(number: String, verdict: String) throws {
        let (outcome, _) = try judge(index([number: verdict]))
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("server: case \(number) "))
    }

    @Test func `an unclean close fails the run`() throws {
        let (outcome, page) = try judge(index(closing: ["7.3": "UNCLEAN"]))
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("server: case 7.3 closes UNCLEAN"))
        #expect(page.contains("| 0 | 1 |"))
    }

    @Test(arguments: ["{}", "{\"divan\": {\"1.1\": {}}}", "{\"divan\": {}}", "[1,", ""])
    func `an invalid index fails the run`(text: String) throws {
        #expect(try judge(text).outcome.status != 0)
    }

    @Test func `missing cases fail the run`() throws {
        let short = "{\"divan\": {\"1.1\": {\"behavior\": \"OK\", \"behaviorClose\": \"OK\"}}}"
        let (outcome, _) = try judge(short)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("server: 1 cases, not 301"))
    }
}
