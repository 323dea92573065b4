import DivanTestKit
import Foundation
import Testing

/// A file system of two megabytes, mounted at `disk` in a separate mount namespace.
///
/// Needs a kernel that lets users create namespaces, as Debian's and Ubuntu's do.
struct SmallDisk {
    private let shell: Shell
    /// The namespace lasts as long as this program, which ends with its input.
    private let holder: RunningProgram

    init(_ shell: Shell) throws {
        self.shell = shell
        try FileManager.default.createDirectory(
            atPath: shell.path("disk"),
            withIntermediateDirectories: false
        )
        let script = "mount -t tmpfs -o size=2m none disk && echo ready && exec cat"
        holder = try Program("/usr/bin/unshare", directory: shell.directory).start(
            ["--map-root-user", "--mount", "sh", "-c", script],
            input: .lines
        )
        try #require(try holder.line() == "ready", "cannot mount a small file system")
    }

    /// Runs a `divan` command that sees the file system.
    func divan(_ words: String...) throws -> Program.Outcome {
        try divan(words)
    }

    /// Runs a `divan` command that sees the file system.
    func divan(_ words: [String]) throws -> Program.Outcome {
        try run([Shell.divan.path] + words)
    }

    /// Runs a program of the system that sees the file system.
    func run(_ words: String...) throws -> Program.Outcome {
        try run(words)
    }

    private func run(_ words: [String]) throws -> Program.Outcome {
        let namespace = [
            "--target", "\(holder.processIdentifier)", "--user", "--mount",
            "--preserve-credentials", "--wd=\(shell.directory)",
        ]
        return try Program("/usr/bin/nsenter").run(
            namespace + words
        )
    }
}
