import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// Docs/guides/serving.md: the block that sets a machine up is run unchanged.
///
/// The machine's `/etc` and `/var` are folders, `sudo` runs its arguments, `useradd` creates the home
/// directory, and `systemctl` records its arguments. Then the unit's own line is started.
@Suite(.timeLimit(.minutes(5))) struct ServingGuideTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.bash("mkdir -p bin machine/etc/systemd/system machine/var/lib").expectSuccess()
        try stand(
            for: "sudo",
            """
            [ "$1" != -u ] || shift 2
            exec "$@"
            """
        )
        try stand(
            for: "useradd",
            """
            [ "$1 $2 $4 $5" = "--system --home-dir --create-home divan" ]
            mkdir "$3"
            """
        )
        try stand(for: "systemctl", #"echo "$@" >> "$MACHINE/asked""#)
    }

    private func stand(for name: String, _ script: String) throws {
        try shell.write("bin/\(name)", "#!/bin/bash\nset -eu\n\(script)\n")
        try FileSystem.setPermissions(0o700, of: shell.path("bin/\(name)"))
    }

    /// A text of the guide, with folders in place of the machine's.
    private func local(_ text: String) -> String {
        text.replacing("/var/lib/", with: shell.path("machine/var/lib/"))
            .replacing("/etc/", with: shell.path("machine/etc/"))
    }

    /// A mistake does not correct itself, so a restart would not help.
    @Test func `the unit does not restart after a configuration error`() throws {
        let unit = try Guide.text("guides/divan.service")
        let line = try #require(unit.firstMatch(of: /RestartPreventExitStatus=(?<codes>.*)/))
        let codes = line.codes.split(separator: " ").compactMap { Int32($0) }
        try shell.run("new", "db")
        for text in [
            #"{"databases": ["nosuch"]}"#, #"{"databases": ["db"], "users": "nofile"}"#,
            #"{"databases": ["db"], "identity": "nobody"}"#, #"{"databases": ["db"], "colour": 1}"#,
            #"{"databases": ["db"], "client-ca": "nofile"}"#, #"{"databases": ["db"],"#,
            #"{"databases": ["db"], "port": 70000}"#,
        ] {
            try shell.write("mistake.json", text)
            let status = try shell.divan("serve", "--config", "mistake.json").status
            #expect(codes.contains(status), "\(text): \(status)")
        }
        try shell.bash("rm mistake.json").expectSuccess()
        #expect(codes.contains(try shell.divan("serve", "--config", "mistake.json").status))
    }

    @Test func `the guide's identity commands set the service's data directory`() throws {
        let lines = try Guide.text("guides/serving.md").split(separator: "\n").filter {
            $0.contains("divan identity ") && $0.contains("-u divan")
        }
        #expect(lines.count == 2)
        for line in lines { #expect(line.contains("env XDG_DATA_HOME=/var/lib/divan"), "\(line)") }
    }

    @Test func `the guide's setup works with the systemd unit`() throws {
        let guide = try Guide("serving.md", runs: "sh")
        let file = try #require(guide.blocks("json serve").first?.text)
        // Free ports, and nobody to announce it to.
        let free = local(file).replacing(/(?<name>port": )\d+/) { "\($0.name)0" }
            .replacing(#/ *"advertise".*\n/#, with: "")
        try shell.write("serve.json", free)
        try shell.write("divan.service", local(try Guide.text("guides/divan.service")))
        let outcome = try shell.bash(
            "set -e\nexport PATH=\"$PWD/bin:$PATH\"\n" + local(guide.script("sh")),
            environment: ["MACHINE": shell.path("machine"), "DIVAN_PASSWORD": "secret"]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try shell.text("machine/asked") == "daemon-reload\nenable --now divan\n")

        let unit = try shell.text("machine/etc/systemd/system/divan.service")
        let start = try #require(unit.firstMatch(of: /ExecStart=\S+\/divan (?<words>.*)/))
        let data = try #require(unit.firstMatch(of: /Environment=XDG_DATA_HOME=(?<path>.*)/))
        let words = start.words.split(separator: " ").map(String.init)
        #expect(words.last == "--json")
        let server = try shell.start(words.dropLast(), ["XDG_DATA_HOME": String(data.path)])
        let event = try server.event(named: "listening")
        #expect(event["database"] as? String == "travel")
        #expect(event["metrics"] != nil)
        #expect(server.stop() == 0)
    }
}
