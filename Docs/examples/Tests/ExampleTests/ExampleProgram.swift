import Foundation
import Testing

/// An example that was built with the tests, and a folder for its database.
final class ExampleProgram: Sendable {
    let directory: String
    private let name: String

    init(_ name: String) throws {
        self.name = name
        directory = NSTemporaryDirectory() + "divan-\(name)-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Runs the program to its end; returns its lines.
    func run(_ words: String..., input: String = "", status: Int32 = 0) throws -> [String] {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let process = Process()
        process.executableURL = own.deletingLastPathComponent().appendingPathComponent(name)
        process.arguments = [directory] + words
        let (standardInput, output) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == status)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
