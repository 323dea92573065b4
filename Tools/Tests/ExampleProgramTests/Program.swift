import Foundation
import Testing

/// One of the example programs, as a process.
final class Program {
    /// How a program ended.
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    private let process = Process()
    private let output = Pipe()

    /// Starts a program that serves until it is let go of.
    init(serving name: String, _ words: String...) throws {
        process.executableURL = Self.url(name)
        process.arguments = words
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        // A child inherits the blocked signals of the thread that starts it; SIGKILL is none.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The URL that the program says it listens on.
    func address() throws -> String {
        var printed = ""
        while !printed.contains("\n") {
            let piece = output.fileHandleForReading.availableData
            try #require(!piece.isEmpty, "it ended before it listened")
            printed += String(decoding: piece, as: UTF8.self)
        }
        let line = try #require(printed.split(separator: "\n").first)
        #expect(line.hasPrefix("listening on "))
        return String(line.dropFirst("listening on ".count))
    }

    /// Runs a program to its end.
    static func run(
        _ words: String...,
        environment: [String: String] = [:]
    ) throws -> Outcome {
        try run(words, environment: environment)
    }

    /// Runs a program, the first word, to its end.
    static func run(
        _ words: [String],
        environment: [String: String] = [:]
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = url(try #require(words.first))
        process.arguments = Array(words.dropFirst())
        let inherited = ProcessInfo.processInfo.environment
        process.environment = inherited.merging(environment) { _, new in new }
        // Files, not pipes: a server started meanwhile would inherit a pipe and keep it open.
        let paths = ["out", "err"].map { "\(NSTemporaryDirectory())\($0)-\(UUID().uuidString)" }
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        for path in paths { try Data().write(to: URL(filePath: path)) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: paths[0])
        process.standardError = FileHandle(forWritingAtPath: paths[1])
        try process.run()
        process.waitUntilExit()
        let texts = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
        return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }

    /// Programs stand beside the tests that they were built with.
    private static func url(_ name: String) -> URL {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appending(path: name)
    }
}
