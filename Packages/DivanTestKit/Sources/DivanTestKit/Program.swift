import Foundation

/// A local program that is run until it ends, or started in parallel.
///
/// ```swift
/// let outcome = try Program.built("divan").run(["--version"])
/// ```
public struct Program: Sendable {
    /// The program's file.
    public let path: String
    /// Environment variables added to those of this process; `nil` removes one.
    public var environment: [String: String?]
    /// The working directory; `nil` means that of this process.
    public var directory: String?

    /// Creates a program; whether it exists is checked when it starts.
    public init(
        _ path: String,
        environment: [String: String?] = [:],
        directory: String? = nil
    ) {
        self.path = path
        self.environment = environment
        self.directory = directory
    }

    /// Another instance of the calling program.
    public static var current: Program {
        Program(URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path)
    }

    /// A program in the same directory as this one, such as one built with the running tests.
    public static func built(_ name: String) -> Program {
        let own = URL(filePath: current.path)
        return Program(own.deletingLastPathComponent().appending(path: name).path)
    }

    /// A program of the system, or `nil` if it is not installed.
    public static func installed(_ name: String) -> Program? {
        let searched = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        // Daemons are there, too, even if a user's PATH omits those directories.
        return (searched + ":/usr/sbin:/sbin").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }.map { Program($0) }
    }

    /// Runs the program until it ends.
    ///
    /// - Parameters:
    ///   - words: Its arguments.
    ///   - input: Its standard input.
    /// - Returns: The exit status and output.
    /// - Throws: The system's error if it cannot start the program.
    public func run(_ words: [String], input: String = "") throws -> Outcome {
        let folder = try TemporaryDirectory()
        let files = ["input", "output", "errors"].map { folder.file($0) }
        // Files, not pipes: a pipe that fills up on one side would block both, and one inherited by a program started
        // meanwhile would stay open.
        for (file, text) in zip(files, [input, "", ""]) {
            try Data(text.utf8).write(to: URL(filePath: file))
        }
        let process = process(words)
        process.standardInput = FileHandle(forReadingAtPath: files[0])
        process.standardOutput = FileHandle(forWritingAtPath: files[1])
        process.standardError = FileHandle(forWritingAtPath: files[2])
        try process.run()
        process.waitUntilExit()
        return Outcome(
            of: process,
            output: try Data(contentsOf: URL(filePath: files[1])),
            errors: try Data(contentsOf: URL(filePath: files[2]))
        )
    }

    /// Starts the program without waiting for its end.
    ///
    /// - Parameters:
    ///   - words: Its arguments.
    ///   - input: Its standard input.
    ///   - errors: The destination of its standard error.
    ///   - patience: The maximum time without output while waiting; `nil` means unlimited.
    /// - Returns: The program; keep it while it must run.
    /// - Throws: The system's error if it cannot start the program.
    public func start(
        _ words: [String],
        input: RunningProgram.Input = .none,
        errors: RunningProgram.Errors = .inherited,
        patience: Duration? = nil
    ) throws -> RunningProgram {
        try RunningProgram(process(words), input, errors, patience: patience)
    }

    private func process(_ words: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = words
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        var surroundings = ProcessInfo.processInfo.environment
        for (name, value) in environment { surroundings[name] = value }
        process.environment = surroundings
        return process
    }
}
