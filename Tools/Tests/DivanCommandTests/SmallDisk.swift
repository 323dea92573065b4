import Foundation
import Testing

/// A file system of two megabytes, mounted at `disk` in a mount namespace of its own.
///
/// Needs a kernel that lets users make namespaces, as Debian's and Ubuntu's do.
final class SmallDisk {
    private let shell: Shell
    private let holder = Process()
    private let input = Pipe()

    init(_ shell: Shell) throws {
        self.shell = shell
        try FileManager.default.createDirectory(
            atPath: shell.path("disk"),
            withIntermediateDirectories: false
        )
        let script = "mount -t tmpfs -o size=2m none disk && echo ready && exec cat"
        let output = Pipe()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        holder.arguments = ["--map-root-user", "--mount", "sh", "-c", script]
        holder.currentDirectoryURL = URL(fileURLWithPath: shell.directory)
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        let line = output.fileHandleForReading.availableData
        try #require(line == Data("ready\n".utf8), "cannot mount a small file system")
    }

    deinit {
        try? input.fileHandleForWriting.close()
        holder.waitUntilExit()
    }

    /// Runs a `divan` command that sees the file system.
    func divan(_ words: String...) throws -> Shell.Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/nsenter")
        let target = "\(holder.processIdentifier)"
        process.arguments =
            [
                "--target", target, "--user", "--mount", "--preserve-credentials",
                "--wd=\(shell.directory)", Shell.executable.path,
            ] + words
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        let complaints = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Shell.Outcome(
            status: process.terminationStatus,
            output: String(decoding: bytes, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self)
        )
    }
}
