import DivanTestKit
import Foundation
import Testing

/// The commands of guides, run in order and unchanged.
@Suite(.timeLimit(.minutes(5))) struct GuideCommandTests {
    @Test func `a test that does not run its declared block fails`() throws {
        withKnownIssue { _ = try Guide("blobs.md", runs: "sh") }
        let guide = try Guide("blobs.md", runs: "sh")
        #expect(guide.script("sh").contains("divan blob put"))
    }

    @Test func `the Getting started guide works`() throws {
        let shell = try Shell()
        let blocks = try Guide("getting-started.md", runs: "sh").blocks("sh").map(\.text)
        try #require(blocks.count == 3)
        let first = try shell.bash(blocks[0])
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.contains("\"name\": \"Hotel Roma\""))
        // The server runs on after the second block; its first line gives the address. Any free
        // port replaces the one of the guide.
        let server = blocks[1].replacingOccurrences(of: "--port 4984", with: "--port 0")
            .replacingOccurrences(of: "divan serve travel", with: "exec divan serve travel")
        let client = blocks[2].replacingOccurrences(of: "wss://localhost:4984/", with: "${url}")
        let outcome = try shell.bash(
            """
            exec 3< <(\(server.trimmingCharacters(in: .newlines)) --interface 127.0.0.1 2>&1)
            server=$!
            trap 'kill -INT $server' EXIT
            read -r line <&3
            address="${line#*wss://}"
            url="wss://${address%%/*}/"
            \(client)
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Saved ghent"))
        #expect(outcome.output.contains("rome\n"))
        #expect(outcome.output.hasSuffix("gent\nghent\nrome\n"), "\(outcome.output)")
    }

    @Test func `the guide to smaller databases works`() throws {
        let shell = try Shell()
        let outcome = try shell.bash(
            "set -e\n" + Guide("smaller-databases.md", runs: "sh").script("sh")
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("200 documents, compressed\n"), "\(outcome.output)")
        #expect(outcome.output.contains("lz4, 100 % compressed, dictionary "), "\(outcome.output)")
        #expect(outcome.errors.contains("Compressed _default; "), "\(outcome.errors)")
        try shell.divan("check", "fleet").expectSuccess()
        try shell.divan("query", "fleet", "SELECT COUNT(*) AS n FROM _ WHERE vehicle = 'bus 7'")
            .expectSuccess()
    }

    @Test func `the guide to backups works`() throws {
        let shell = try Shell()
        let guide = try Guide("backup.md", runs: "sh", "sh repair")
        let outcome = try shell.bash("set -e\n" + guide.script("sh"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("Intact: 1 document and 0 blobs\n"))
        #expect(outcome.output.contains("Equal: 1 document and 0 blobs\n"))
        #expect(outcome.output.contains("Lentil"))

        let peer = try Shell()
        try peer.bash("divan cp '\(shell.path("shop"))' shop").expectSuccess()
        let certificate = shell.path("shop.pem")
        let server = try peer.serve("shop", "--write-certificate", certificate)
        defer { server.stop() }
        try flip("Lentil", in: shell.path("shop.cblite2/db.sqlite3"))
        try shell.divan("check", "shop").expectFailure(5, "1 document damaged")
        let repair = guide.script("sh repair")
            .replacing("wss://192.168.1.20:4984/shop", with: try server.url())
        let repaired = try shell.bash(repair)
        #expect(repaired.output == "Intact: 3 documents and 0 blobs\n", "\(repaired)")
    }

    /// Flips one bit of the last letter but one, wherever the text occurs.
    private func flip(_ text: String, in path: String) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        var rest = bytes.startIndex..<bytes.endIndex
        var count = 0
        while let place = bytes.range(of: Data(text.utf8), in: rest) {
            bytes[place.upperBound - 2] ^= 1
            rest = place.upperBound..<bytes.endIndex
            count += 1
        }
        try #require(count > 0)
        try bytes.write(to: URL(filePath: path))
    }

    @Test func `the guide to blobs works`() throws {
        let shell = try Shell()
        let outcome = try shell.bash("set -e\n" + Guide("blobs.md", runs: "sh").script("sh"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("image/jpeg"))
    }

    @Test func `the guide to encryption works and asks for the password twice`() throws {
        let shell = try Shell()
        let guide = try Guide("encryption.md", runs: "sh key", "sh typed", "sh")
        try shell.run("new", "notes")
        try shell.run("put", "notes", "one", #"{"word":"saffron"}"#)
        let words = guide.script("sh typed").split(separator: "#")[0].split(separator: " ")
        let terminal = try PseudoTerminal(shell, words.dropFirst().map(String.init))
        try terminal.waits(for: "New password:")
        terminal.type("open sesame\n")
        try terminal.waits(for: "Repeat password:")
        terminal.type("open sesame\n")
        #expect(terminal.end() == 0)
        #expect(try shell.divan("ls", "diary").status == 5)
        let outcome = try shell.bash("\(guide.script("sh key"))\n\(guide.script("sh"))")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("one\n"))
        #expect(try shell.run("get", "notes", "one").output.contains("saffron"))
    }

    @Test func `the guide for users of Couchbase Lite imports their database`() throws {
        let shell = try Shell()
        let fixtures = Guide.root.appendingPathComponent(
            "Packages/DivanCBLite/Tests/Fixtures/cblite2"
        )
        let script = try Guide("from-couchbase-lite.md", runs: "sh").script("sh")
        let outcome = try shell.bash(
            """
            tar -xzf "$FIXTURES/manykeys-3.2.tar.gz"
            mkdir old
            mv manykeys-3.2.cblite2 old/travel.cblite2
            \(script.replacing("/old/", with: "old/"))
            divan ls travel
            """,
            environment: ["FIXTURES": fixtures.standardizedFileURL.path]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.count == 3, "\(outcome)")
    }

    @Test func `the guide to slow queries shows the real plans`() throws {
        let shell = try Shell()
        let guide = try Guide("slow-queries.md", runs: "sh")
        let outcome = try shell.bash("set -e\n" + guide.script("sh"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("divan index make shop byPrice -c shop.chairs 'price'"))
        let head = "| after `SELECT c.name FROM shop.chairs AS c` |"
        let rows = try Guide.text("guides/slow-queries.md").split(separator: "\n")
            .drop { !$0.hasPrefix(head) }.dropFirst(2).prefix { $0.hasPrefix("|") }
        #expect(rows.count > 15)
        for row in rows {
            let cells = row.split(separator: "`")
            let sql = "SELECT c.name FROM shop.chairs AS c \(cells[1])"
            let plan = try shell.run("query", "shop", sql, "--explain").output
            let steps = plan.split(separator: "\n").dropFirst()
            #expect(steps.contains { $0.contains(cells[3]) }, "\(sql)\n\(plan)")
            // A query that reads everything has no search, and the reverse.
            guard cells[3] == "SCAN" || cells[3] == "SEARCH" else { continue }
            let other = cells[3] == "SCAN" ? "SEARCH" : "SCAN s"
            #expect(!steps.contains { $0.contains(other) }, "\(sql)\n\(plan)")
        }
    }

    @Test func `the guide to upgrading works`() throws {
        let shell = try Shell()
        let outcome = try shell.bash("set -e\n" + Guide("upgrading.md", runs: "sh").script("sh"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("Equal: 1 document and 0 blobs\n"))
        #expect(outcome.errors.contains("now uses version vectors"))
    }
}
