import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// Docs/guides/mutual-tls.md: every block is run unchanged, in order.
///
/// The machines are folders with a data directory each, and `scp` copies between them; the
/// listener's host is 127.0.0.1 and its port a free one, set by the variables that the guide reads.
@Suite(.timeLimit(.minutes(5))) struct MutualTLSGuideTests {
    private let shell: Shell
    private let port: Int

    init() throws {
        shell = try Shell()
        for machine in ["jukebox", "robot", "cellar"] {
            try FileManager.default.createDirectory(
                atPath: shell.path(machine),
                withIntermediateDirectories: true
            )
        }
        try shell.write(
            "scp",
            #"""
            #!/bin/bash
            # Files of other machines lie in folders beside this one.
            set -eu
            names=()
            for name in "$@"; do
                name="${name/#$JUKEBOX:/$MACHINES/jukebox/}"
                names+=("${name/#$ROBOT:/$MACHINES/robot/}")
            done
            exec cp "${names[@]}"
            """#
        )
        try FileSystem.setPermissions(0o700, of: shell.path("scp"))
        port = try LoopbackClient.freePort()
    }

    /// The variables of a machine's terminal, before a block is typed.
    private func script(_ machine: String, _ text: String) -> String {
        """
        export PATH="$MACHINES:$PATH" XDG_DATA_HOME="$MACHINES/\(machine)/data"
        cd "$MACHINES/\(machine)"
        \(text)
        """
    }

    private var environment: [String: String] {
        [
            "MACHINES": shell.directory, "JUKEBOX": "127.0.0.1", "ROBOT": "robot.test",
            "PORT": "\(port)",
        ]
    }

    private func blocks() throws -> [Guide.Block] {
        try Guide(
            "mutual-tls.md",
            runs: "sh both",
            "sh jukebox",
            "sh robot",
            "sh cellar",
            "sh jukebox serving",
            "sh robot refused"
        ).blocksInOrder()
    }

    @Test func `the guide to mutual TLS works`() throws {
        var both = ""
        var server: ServingTerminal?
        var outcomes: [String] = []
        for block in try blocks() {
            let words = block.label.split(separator: " ").dropFirst().map(String.init)
            switch words.dropFirst().first {
            case nil where words[0] == "both":
                both = block.text
            case nil:
                let outcome = try shell.bash(
                    script(words[0], "\(both)\n\(block.text)"),
                    environment: environment
                )
                #expect(outcome.status == 0, "\(block.text)\n\(outcome.errors)")
                outcomes.append(outcome.output)
            case "serving":
                server?.interrupt()
                server = try ServingTerminal(
                    shell,
                    script(words[0], "\(both)\n\(block.text)"),
                    environment,
                    greeting: "Serving notes at wss://"
                )
            case "refused":
                for line in block.text.split(separator: "\n") {
                    let outcome = try shell.bash(
                        script(words[0], "\(both)\n\(line)"),
                        environment: environment
                    )
                    #expect(outcome.status == 7, "\(line)\n\(outcome.errors)")
                }
            default: Issue.record("unknown block: \(block.label)")
            }
        }
        server?.interrupt()
        #expect(outcomes.contains { $0.contains("Hello, robot") })
        #expect(outcomes.contains { $0.contains("Hello, jukebox") })
        // What one machine shows for its own is what the other shows for the copy.
        let fingerprints = outcomes.flatMap { $0.split(separator: "\n") }
            .filter { $0.contains("SHA-256") }.map { $0.split(separator: " ").last }
        #expect(Set(fingerprints).count < fingerprints.count)
    }

    @Test func `the guide to mutual TLS copies no private key`() throws {
        let guide = try Guide("mutual-tls.md")
        let copied = guide.blocks.flatMap { $0.text.split(separator: "\n") }
            .filter { $0.hasPrefix("scp ") }
        #expect(copied.count == 7)
        let keys = ["data/", "Identities", ".key"]
        #expect(!copied.contains { line in keys.contains { line.contains($0) } })
    }
}

extension LoopbackClient {
    /// A port on which nobody listens.
    static func freePort() throws -> Int {
        let (socket, port) = try Loopback.listen()
        socket.close()
        return Int(port)
    }
}
