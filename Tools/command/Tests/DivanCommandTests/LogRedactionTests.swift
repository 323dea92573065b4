import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// What `--log-redaction` removes from the log and the events of servers and syncs.
@Suite struct LogRedactionTests {
    private static let user = "wilhelmina"
    private static let document = "passport-4711"

    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        try shell.run("put", "a", Self.document, "{}")
        try shell.write("secret.txt", "open sesame\n")
        try shell.write("wrong.txt", "open barley\n")
    }

    /// The lines of a server's log and events after a wrong password and a sync.
    private func lines(_ level: String) throws -> [String] {
        let server = try shell.startBash(
            "export DIVAN_LOG=verbose; exec divan serve a --interface 127.0.0.1 "
                + "--user \(Self.user) --password-file secret.txt --log-redaction \(level)"
        )
        var lines = [try server.line { $0.contains("wss://") }]
        let url = try #require(lines[0].split(separator: " ").first { $0.hasPrefix("wss://") })
        let address = String(url.prefix { $0 != "," })
        try pull(address, "wrong.txt").expectFailure(7)
        lines.append(try server.line { $0.contains("Refused ") })
        try pull(address, "secret.txt").expectSuccess()
        server.signal(.interrupt)
        return lines + server.finish().output.split(separator: "\n").map { String($0) }
    }

    private func pull(
        _ url: String,
        _ passwordFile: String,
        _ options: String...
    ) throws -> Program.Outcome {
        let words = ["pull", "b", url, "--accept-self-signed", "--user", Self.user]
        return try shell.divan(words + ["--password-file", passwordFile] + options)
    }

    @Test func `a server prints names of users unless they are redacted`() throws {
        let text = try lines("none").joined(separator: "\n")
        #expect(text.contains("user “\(Self.user)”"), "\(text)")
        #expect(!text.contains("<ud>"), "\(text)")
    }

    @Test func `a server tags names of users at the level partial`() throws {
        let text = try lines("partial").joined(separator: "\n")
        #expect(text.contains("user “<ud>\(Self.user)</ud>”"), "\(text)")
        #expect(text.contains("Refused 127.0.0.1 with 401"), "\(text)")
        #expect(!text.replacing("<ud>\(Self.user)</ud>", with: "").contains(Self.user), "\(text)")
    }

    @Test func `a server prints no names and addresses of clients at the level full`() throws {
        let lines = try lines("full")
        // The addresses at which it listens are no client's.
        let text = lines.filter { !$0.contains("wss://") }.joined(separator: "\n")
        #expect(text.contains("Refused <sd>"), "\(text)")
        #expect(!text.contains(Self.user) && !text.contains("127.0.0.1"), "\(text)")
    }

    @Test(arguments: [("none", document), ("partial", "<ud>\(document)</ud>"), ("full", nil)])
    func `the events of a sync show document IDs as the level says`(
        level: String,
        expected: String?
    ) throws {
        let server = try shell.serve("a")
        let outcome = try shell.divan(
            "pull",
            "b",
            try server.url(),
            "--accept-self-signed",
            "--json",
            "--log-redaction",
            level
        )
        server.stop()
        outcome.expectSuccess()
        let output = outcome.output
        let events = output.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
        }
        let event = try #require(events.first { $0["event"] as? String == "document" }, "\(output)")
        let id = try #require(event["id"] as? String)
        if let expected {
            #expect(id == expected)
        } else {
            #expect(id.hasPrefix("<ud>") && !output.contains(Self.document), "\(output)")
        }
    }

    @Test func `an unknown level is refused`() throws {
        try shell.divan("serve", "a", "--log-redaction", "some").expectFailure(2, "none, partial")
        try shell.divan("serve", "a", "--log", "loud").expectFailure(2, "error, warning")
        try shell.write("serve.json", #"{"databases":["a"],"log-redaction":"some"}"#)
        try shell.divan("serve", "--config", "serve.json", "--check").expectFailure(2, "none")
    }
}
