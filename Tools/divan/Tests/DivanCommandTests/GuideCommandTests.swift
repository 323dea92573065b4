import DivanTestKit
import Foundation
import Testing

/// The commands of guides, run in their order as they stand there.
@Suite struct GuideCommandTests {
    /// The blocks of shell commands of a guide.
    private func blocks(_ page: String) throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../..")
        let file = root.appendingPathComponent("Docs/guides/\(page)")
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.components(separatedBy: "```sh\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    @Test func `getting started does what it says`() throws {
        let shell = try Shell()
        let blocks = try blocks("getting-started.md")
        try #require(blocks.count == 3)
        let first = try shell.bash(blocks[0])
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.contains("\"name\": \"Hotel Roma\""))
        // The server goes on behind the second block; its first line tells the address. Any free
        // port stands in for the one of the guide.
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

    @Test func `a backup is made, looked at and put back`() throws {
        let shell = try Shell()
        let outcome = try shell.bash("set -e\n" + blocks("backup.md").joined())
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("Whole: 1 document and 0 blobs\n"))
        #expect(outcome.output.contains("Equal: 1 document and 0 blobs\n"))
        #expect(outcome.output.contains("Lentil"))
    }

    @Test func `the guide to blobs runs`() throws {
        let shell = try Shell()
        let outcome = try shell.bash("set -e\n" + blocks("blobs.md").joined())
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("image/jpeg"))
    }

    @Test func `the guide to upgrading runs`() throws {
        let shell = try Shell()
        let outcome = try shell.bash("set -e\n" + blocks("upgrading.md").joined())
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("Equal: 1 document and 0 blobs\n"))
        #expect(outcome.output.contains("version vectors from now on"))
    }

    @Test func `the guide to troubleshooting runs`() throws {
        let shell = try Shell()
        let guide = try Guide("troubleshooting.md")
        let local = guide.blocks("sh").map(\.text)
        let served = guide.blocks("sh served").map(\.text)
        try #require(local.count == 3 && served.count == 2)
        let begin = try shell.bash("set -e\n" + local[0] + "\n" + local[1])
        #expect(begin.status == 0, "\(begin.errors)")
        #expect(begin.output.contains("401"))
        let server = try shell.serve("shop", "--no-tls")
        let steps = try shell.bash(
            "set -e\n" + served.joined(separator: "\n"),
            environment: ["url": try server.url()]
        )
        #expect(steps.status == 0, "\(steps.errors)")
        server.stop()
        let end = try shell.bash("set -e\n" + local[2])
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.output.contains("Whole: 1 document"))
    }

    @Test func `the manifest of the README resolves`() throws {
        let shell = try Shell()
        let readme = try String(
            contentsOf: Guide.root.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        let begin = try #require(readme.range(of: "// swift-tools-version"))
        let manifest = try #require(
            readme[begin.lowerBound...].components(separatedBy: "```").first
        )
        let outcome = try shell.bash(
            """
            ln -s "$root" divan
            mkdir -p kiosk/Sources/kiosk
            printf '%s' "$manifest" > kiosk/Package.swift
            echo 'import Divan' > kiosk/Sources/kiosk/main.swift
            swift package --package-path kiosk show-dependencies
            """,
            environment: ["root": Guide.root.standardizedFileURL.path, "manifest": manifest]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("divan"))
    }
}
