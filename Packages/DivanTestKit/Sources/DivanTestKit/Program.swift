import Foundation

/// A program of this machine that is run, or started to go on beside this one.
///
/// ```swift
/// let outcome = try Program.built("divan").run(["--version"])
/// ```
public struct Program: Sendable {
    /// The program's file.
    public let path: String
    /// What it finds in its environment beside what this program has; `nil` takes a name away.
    public var environment: [String: String?]
    /// The directory it starts in; `nil` is this program's own.
    public var directory: String?

    /// Names a program; whether it is there shows when it starts.
    public init(
        _ path: String,
        environment: [String: String?] = [:],
        directory: String? = nil
    ) {
        self.path = path
        self.environment = environment
        self.directory = directory
    }

    /// The program that asks, once more.
    public static var current: Program {
        Program(URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path)
    }

    /// A program that stands beside this one, such as what was built with the tests that run.
    public static func built(_ name: String) -> Program {
        let own = URL(filePath: current.path)
        return Program(own.deletingLastPathComponent().appending(path: name).path)
    }

    /// A program of the system, or `nil` where it isn't installed.
    public static func installed(_ name: String) -> Program? {
        let searched = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        // Daemons are there too where a user's PATH leaves those directories out.
        return (searched + ":/usr/sbin:/sbin").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }.map { Program($0) }
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - words: What stands behind its name on a command line.
    ///   - input: What it reads; then its input ends.
    /// - Returns: How it ended and what it said.
    /// - Throws: What the system says when it cannot start the program.
    public func run(_ words: [String], input: String = "") throws -> Outcome {
        let folder = try TemporaryDirectory()
        let files = ["input", "output", "errors"].map { folder.file($0) }
        // Files, not pipes: a pipe that fills up on one side would stop both, and one that a
        // program started meanwhile inherits would stay open.
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

    /// Starts the program and lets it go on.
    ///
    /// - Parameters:
    ///   - words: What stands behind its name on a command line.
    ///   - input: What it reads.
    ///   - errors: Where its standard error goes.
    ///   - patience: How long it may be silent while it is waited for; `nil` is for ever.
    /// - Returns: The program, to be kept for as long as it is to go on.
    /// - Throws: What the system says when it cannot start the program.
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
