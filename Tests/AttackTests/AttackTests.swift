import Foundation
import Testing

/// A listener in a process of its own is attacked; `make attack` adds floods and sudden ends.
///
/// Source: `behaviour.md` §13, §14; `tls-and-auth.md` §4.
@Suite(.timeLimit(.minutes(3))) struct AttackTests {
    /// The tool stands beside the test bundle.
    private static var executable: URL {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent("divan-attack")
    }

    @Test func `every reaction is expected, nothing leaks into logs, others are served`() throws {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = ["run", "--quick"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let report = String(decoding: bytes, as: UTF8.self)
        let unexpected = report.split(separator: "\n").filter { $0.hasPrefix("UNEXPECTED") }
        #expect(unexpected.isEmpty)
        #expect(process.terminationStatus == 0, "\(report.suffix(600))")
        #expect(report.contains("holds 0 secrets and bodies"))
    }
}
