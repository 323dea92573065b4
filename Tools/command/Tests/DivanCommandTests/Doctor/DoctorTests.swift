import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `divan doctor` if everything is well, or nearly.
@Suite(.timeLimit(.minutes(5))) struct DoctorTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a", "--collections", "geo.places")
        try shell.run("put", "a", "one", "{}")
    }

    /// What the doctor found, by step; the last of a step counts.
    private func findings(_ outcome: Program.Outcome) throws -> [String: [String: String]] {
        var findings: [String: [String: String]] = [:]
        for line in outcome.output.split(separator: "\n") {
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            // In addition to the words, a step may have figures.
            let finding = try #require(value as? [String: Any]).compactMapValues { $0 as? String }
            findings[try #require(finding["step"])] = finding
        }
        return findings
    }

    @Test func `doctor waits for a silent server only once`() throws {
        let server = try SilentServer()
        let begin = ContinuousClock.now
        let url = "wss://127.0.0.1:\(server.port)/a"
        #expect(try shell.divan("doctor", url, "--timeout", "3").status == 6)
        #expect(ContinuousClock.now - begin < .seconds(10))
        withExtendedLifetime(server) {}
    }

    @Test func `a read-only listener is a warning, not a failure`() throws {
        let peer = try shell.serve("a", "--no-tls", "--read-only")
        let outcome = try shell.divan("doctor", try peer.url(), "--json")
        outcome.expectSuccess()
        let found = try findings(outcome)
        #expect(found["writing"]?["verdict"] == "warning", "\(outcome.output)")
        #expect(found["reading"]?["seen"]?.contains("1 change to pull") == true)
        peer.stop()
    }

    @Test func `without problems every step reports what it checked`() throws {
        let peer = try shell.serve("a", "--write-certificate", "own.pem")
        let outcome = try shell.divan(
            "doctor",
            try peer.url(),
            "--pin",
            "own.pem",
            "--json"
        )
        outcome.expectSuccess()
        let found = try findings(outcome)
        let steps = [
            "address", "name", "tcp", "tls", "websocket", "protocol", "collections", "reading",
            "writing", "way", "clock", "throughput",
        ]
        for step in steps { #expect(found[step]?["verdict"] == "ok", "\(step): \(outcome.output)") }
        #expect(found["protocol"]?["seen"]?.hasPrefix("BLIP_3+CBMobile_3") == true)
        #expect(found["clock"]?["seen"] == "both clocks agree within a minute")
        let throughput = try #require(found["throughput"]?["seen"])
        #expect(throughput.hasPrefix("received 1 document, "), "\(throughput)")
        #expect(throughput.contains("; sent 262.1 kB in "), "\(throughput)")
        peer.stop()
        #expect(try shell.run("ls", "a").output == "one\n", "nothing was written")
    }

    // MARK: Databases

    @Test func `doctor checks every part of a database`() throws {
        let outcome = try shell.divan("doctor", "a", "--json")
        outcome.expectSuccess()
        let found = try findings(outcome)
        for step in [
            "files", "disk", "holder", "format", "content", "size", "conflicts", "peers", "indexes",
        ] {
            #expect(found[step]?["verdict"] == "ok", "\(step): \(outcome.output)")
        }
        let sizes = try shell.run("doctor", "a").output.split(separator: "\n").filter {
            $0.contains("  size ")
        }
        #expect(sizes.contains { $0.contains("_default: 1 document, bodies ") }, "\(sizes)")
        #expect(sizes.contains { $0.contains(", log ") && $0.contains("file ") }, "\(sizes)")
        try shell.divan("doctor", "nowhere").expectFailure(3, "database not found")
    }

    @Test func `a damaged document does not stop other checks`() throws {
        try shell.run("put", "a", "two", #"{"text":"sound"}"#)
        let file = URL(fileURLWithPath: shell.path("a.cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data("sound".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: file)
        let outcome = try shell.divan("doctor", "a", "--json")
        #expect(outcome.status == 5)
        let found = try findings(outcome)
        #expect(found["open"] == nil && found["indexes"]?["verdict"] == "ok", "\(outcome.output)")
        #expect(found["content"]?["seen"]?.hasPrefix("1 problem; the first: ") == true)
        let lines = try shell.divan("doctor", "a").output
        #expect(lines.contains("_default: 1 document, "), "\(lines)")
        #expect(lines.contains("1 damaged, not counted"), "\(lines)")
    }

    @Test func `doctor checks an encrypted database with its key`() throws {
        try shell.write("key", String(repeating: "5c", count: 32) + "\n")
        try FileSystem.setPermissions(0o600, of: shell.path("key"))
        try shell.run("new", "s", "--encrypt", "--key-file", "key")
        let outcome = try shell.run("doctor", "s", "--key-file", "key", "--json")
        #expect(try findings(outcome)["content"]?["seen"] == "intact: 0 documents, 0 blobs")
    }
}
