import Foundation
import Testing

/// Processes that write and are killed; `make crash` does the same 500 times.
@Suite(.timeLimit(.minutes(2))) struct CrashTests {
    /// The tool stands beside the test bundle.
    private static var executable: URL {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent("divan-crash")
    }

    @Test func `nothing acknowledged is lost when ten writers are killed`() throws {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = ["run", "--rounds", "10"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let summary = String(decoding: bytes, as: UTF8.self)
        #expect(process.terminationStatus == 0, "\(summary)")
        #expect(summary.contains("10 writers killed"), "\(summary)")
    }
}
