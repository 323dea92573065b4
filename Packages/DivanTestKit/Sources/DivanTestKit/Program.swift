import DivanPlatform
public import Foundation

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
        try run(words, inputBytes: Data(input.utf8))
    }

    /// The same, with any bytes as standard input.
    public func run(_ words: [String], inputBytes: Data) throws -> Outcome {
        let folder = try TemporaryDirectory()
        let files = ["input", "output", "errors"].map { folder.file($0) }
        // Files, not pipes: a pipe that fills up on one side would block both.
        for (file, content) in zip(files, [inputBytes, Data(), Data()]) {
            try content.write(to: URL(filePath: file))
        }
        let input = try FileDescriptor.open(files[0], [.readOnly, .closeOnExec])
        defer { input.close() }
        let output = try FileDescriptor.open(files[1], [.writeOnly, .closeOnExec])
        defer { output.close() }
        let errors = try FileDescriptor.open(files[2], [.writeOnly, .closeOnExec])
        defer { errors.close() }
        let process = try spawn(
            words,
            [
                (input, as: .standardInput), (output, as: .standardOutput),
                (errors, as: .standardError),
            ]
        )
        return Outcome(
            of: process.wait() ?? .unknown,
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
        try RunningProgram(self, words, input, errors, patience: patience)
    }

    /// Starts a process with some of this process's descriptors.
    ///
    /// Foundation's `Process` is not used: on Linux, its `waitUntilExit` sometimes misses the end.
    func spawn(
        _ words: [String],
        _ descriptors: [(FileDescriptor, as: FileDescriptor)]
    ) throws -> ChildProcess {
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        return try ChildProcess.spawn(
            path,
            [path] + words,
            environment: variables,
            directory: directory,
            descriptors: descriptors,
            // The threads of tests block signals.
            signals: .defaults
        )
    }
}
