import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// Every possible error code is explained, on the page and by `divan help`.
@Suite struct ErrorCodeTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The constants of `CBLError` with their names, from its sources.
    private static func constants() throws -> [(name: String, number: Int)] {
        let folder = "Packages/CouchbaseLiteSwift/Sources/CouchbaseLiteSwift/Errors"
        let text = try ["CBLError", "CBLError+Network"].map {
            try Self.text("\(folder)/\($0).swift")
        }
        return text.joined().matches(of: /static let (\w+) = ([\d_]+)/).compactMap { match in
            let isBase = match.1.hasSuffix("Base")
            return isBase
                ? nil : Int(match.2.replacing("_", with: "")).map { (String(match.1), $0) }
        }
    }

    /// The cells of the page's rows.
    private static func rows() throws -> [[String]] {
        try text("Docs/errors.md").split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test func `every constant of the API is listed in errors.md`() throws {
        let rows = try Self.rows()
        let constants = try Self.constants()
        #expect(constants.count > 60)
        for (name, number) in constants {
            let row = rows.first { $0.count == 4 && $0[0] == "\(number)" }
            #expect(row?[1] == "`\(name)`", "\(number) \(name)")
        }
    }

    @Test func `every error code is explained by divan help`() throws {
        let shell = try Shell()
        var numbers = try Self.constants().map(\.number)
        // Network errors by number, HTTP statuses, close codes (errors.md §2).
        numbers += Array(5001...5027) + [10_100, 10_302, 10_422, 10_599, 10_999]
        numbers += Array(11_000...11_015) + [13_000, 14_000, 14_500, 14_999, 31, 32]
        for number in numbers {
            let outcome = try shell.divan("help", "\(number)")
            #expect(outcome.status == 0, "\(number): \(outcome)")
            #expect(outcome.output.contains("What to do: "), "\(number)")
        }
        for word in ["0", "-5", "99999", "4000", "99999999999999999999", "15000"] {
            #expect(try shell.divan("help", word).status == 2, "\(word)")
        }
    }

    @Test func `a small number is explained as exit code and error code`() throws {
        let shell = try Shell()
        for number in 1...10 {
            let page = try shell.run("help", "\(number)").output
            #expect(page.hasPrefix("Exit code \(number): "), "\(page)")
            #expect(page.contains("\n\nError \(number) (CBLError."), "\(page)")
        }
        #expect(
            try shell.run("help", "130").output == """
                Exit code 130: stopped by Ctrl-C or SIGTERM.

                """
        )
    }

    @Test(arguments: [(401, 10_401), (422, 10_422), (599, 10_599), (1006, 11_006), (4001, 14_001)])
    func `an HTTP status or close code is explained by its error code`(
        number: Int,
        code: Int
    ) throws {
        let shell = try Shell()
        let page = try shell.run("help", "\(number)").output
        #expect(page.contains(" \(number) has the code \(code)."), "\(page)")
        #expect(page.hasSuffix(try shell.run("help", "\(code)").output))
    }

    @Test func `errors.md and divan help have the same text`() throws {
        let shell = try Shell()
        let help = try shell.run("--help").output
        #expect(help.contains("divan help codes") && help.contains("Docs/errors.md"))
        let list = try shell.run("help", "codes").output
        let exitRows = try Self.rows().filter { $0.count == 3 && Int($0[0]) != nil }
        #expect(exitRows.count == 12)
        for row in exitRows {
            let words = row[1].split(separator: " ").joined(separator: " ")
            let page = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(page.contains("\(row[0]) \(words)"), "\(row)")
        }
        for row in try Self.rows() where row.count == 4 && Int(row[0].prefix(1)) != nil {
            #expect(list.contains("  \(row[0]) "), "\(row)")
            let first = try #require(row[0].split(separator: "–").first)
            // Ranges begin with codes that have their own rows.
            guard !row[0].contains("–") else { continue }
            let page = try shell.run("help", String(first)).output
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(page.contains("\(row[2])."), "\(row)")
            #expect(page.contains("What to do: \(row[3])."), "\(row)")
        }
    }

    @Test func `a message with an error code has a hint to its explanation`() throws {
        let shell = try Shell()
        try shell.run("new", "db")
        let outcome = try shell.divan("pull", "db", "ws://no-such-host.invalid/a")
        #expect(outcome.status == 6)
        #expect(outcome.complaints.last == "hint: run 'divan help 5002' for details")
    }

    @Test func `a peer that stops or restarts is reported as such`() throws {
        let shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        for (signal, code, words) in [
            (Signal.terminate, 14_001, "the peer is restarting"),
            (.interrupt, 11_001, "the peer stopped"),
        ] {
            let server = try shell.serve("a", "--no-tls")
            let client = try shell.start(["pull", "b", try server.url(), "--continuous"])
            try client.wait(for: "idle")
            server.process.signal(signal)
            server.process.finish()
            let event = try client.event { $0["code"] as? Int == code }
            #expect((event["error"] as? String)?.contains(words) == true, "\(event)")
            client.stop()
        }
    }
}
