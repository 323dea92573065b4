import Foundation
import Testing

/// Two processes that sync and are killed; `make kill-sync` does the same 300 times.
@Suite(.timeLimit(.minutes(3))) struct KillSyncTests {
    /// The tool stands beside the test bundle.
    private static var executable: URL {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent("divan-kill-sync")
    }

    @Test func `both sides end equal and nothing is lost when either is killed ten times`() throws {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = ["run", "--kills", "10", "--documents", "600"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let summary = String(decoding: bytes, as: UTF8.self)
        #expect(process.terminationStatus == 0, "\(summary)")
        #expect(summary.contains("nothing is lost, nothing is invented"), "\(summary)")
    }
}
