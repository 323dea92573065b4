import Foundation
import Testing

/// Clients in two processes edit while connections are cut; `make soak` does it with 200 in eight.
@Suite(.timeLimit(.minutes(3))) struct SoakTests {
    /// The tool stands beside the test bundle.
    private static var executable: URL {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent("divan-soak")
    }

    @Test func `six clients end up equal although their connections are cut`() throws {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = ["run", "--minutes", "1", "--clients", "6", "--processes", "2"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let summary = String(decoding: bytes, as: UTF8.self)
        #expect(process.terminationStatus == 0, "\(summary)")
        #expect(summary.contains("all databases equal: yes"), "\(summary)")
    }
}
