import Foundation
import Testing

/// A temporary folder in which the built `divan` command is run.
final class Shell: Sendable {
    let directory: String

    /// What a command printed, and how it ended.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String

        /// The lines of standard error.
        var complaints: [String] { errors.split(separator: "\n").map(String.init) }

        /// Standard output as one JSON object.
        func json() throws -> [String: Any] {
            let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
            return try #require(value as? [String: Any])
        }
    }

    init() throws {
        directory = NSTemporaryDirectory() + "divan-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The command that was built with the tests.
    static var executable: URL {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent("divan")
    }

    /// Runs a command to its end.
    @discardableResult
    func divan(_ words: String..., input: String? = nil) throws -> Outcome {
        try divan(words, input: input)
    }

    /// Runs a command to its end.
    @discardableResult
    func divan(
        _ words: [String],
        input: String? = nil,
        environment: [String: String] = [:]
    ) throws -> Outcome {
        let process = process(words)
        process.environment?.merge(environment) { $1 }
        return try outcome(of: process, input: input)
    }

    /// Runs a script in bash, where `divan` is the command that was built with the tests.
    func bash(_ script: String, environment: [String: String] = [:]) throws -> Outcome {
        let process = process(["-euc", "PATH=\"$(dirname \"$DIVAN\"):$PATH\"\n" + script])
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.environment?["DIVAN"] = Self.executable.path
        process.environment?.merge(environment) { $1 }
        return try outcome(of: process, input: nil)
    }

    private func outcome(of process: Process, input: String?) throws -> Outcome {
        // Files, not pipes: both may fill up while neither is read.
        let names = ["out", "err"].map { "\(directory)/.\($0)-\(UUID().uuidString)" }
        for name in names { try Data().write(to: URL(fileURLWithPath: name)) }
        process.standardOutput = FileHandle(forWritingAtPath: names[0])
        process.standardError = FileHandle(forWritingAtPath: names[1])
        if let input {
            let pipe = Pipe()
            process.standardInput = pipe
            try process.run()
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        } else {
            process.standardInput = FileHandle.nullDevice
            try process.run()
        }
        process.waitUntilExit()
        let texts = names.map { name in
            String(decoding: FileManager.default.contents(atPath: name) ?? Data(), as: UTF8.self)
        }
        return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }

    /// Runs a command that must succeed.
    @discardableResult
    func run(_ words: String...) throws -> Outcome {
        let outcome = try divan(words)
        #expect(outcome.status == 0, "divan \(words.joined(separator: " ")): \(outcome.errors)")
        return outcome
    }

    /// Starts a command that goes on and prints events.
    func start(_ words: String...) throws -> Peer {
        try start(words)
    }

    /// Starts a command that goes on and prints events.
    func start(_ words: [String]) throws -> Peer {
        try Peer(process(words + ["--json"]))
    }

    /// Serves a database on loopback, with events.
    func serve(_ database: String, _ options: String...) throws -> Peer {
        try start(["serve", database, "--interface", "127.0.0.1"] + options)
    }

    /// Writes a file into the folder.
    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    /// The text of a file in the folder.
    func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// The absolute path of a file in the folder.
    func path(_ name: String) -> String { "\(directory)/\(name)" }

    private func process(_ words: [String]) -> Process {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = words
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        var environment = ProcessInfo.processInfo.environment
        environment["XDG_DATA_HOME"] = path("data")
        environment["DIVAN_PASSWORD"] = nil
        process.environment = environment
        return process
    }
}

/// A `divan` process that goes on until it is stopped.
final class Peer {
    let process: Process
    private let output = Pipe()
    private var pending = Data()

    init(_ process: Process) throws {
        self.process = process
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Waits for the next event that satisfies a condition.
    func event(_ isWanted: ([String: Any]) -> Bool) throws -> [String: Any] {
        while true {
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(pending[..<end])
                pending = Data(pending[(end + 1)...])
                let value = try? JSONSerialization.jsonObject(with: line)
                if let event = value as? [String: Any], isWanted(event) { return event }
            }
            let bytes = output.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "the process ended before the event came")
            pending += bytes
        }
    }

    /// Waits for an event by its name.
    func event(named name: String) throws -> [String: Any] {
        try event { $0["event"] as? String == name }
    }

    /// Waits until a replicator reports an activity.
    func wait(for activity: String) throws {
        _ = try event {
            $0["event"] as? String == "status" && $0["activity"] as? String == activity
        }
    }

    /// The address that a serving process announces.
    func url() throws -> String {
        let event = try event(named: "listening")
        return try #require((event["urls"] as? [String])?.first)
    }

    /// Presses Ctrl-C; returns the exit code.
    @discardableResult
    func stop() -> Int32 {
        process.interrupt()
        return end()
    }

    /// Ends the process as a power cut would; returns when it is gone.
    func killHard() {
        kill(process.processIdentifier, SIGKILL)
        _ = end()
    }

    private func end() -> Int32 {
        // What the process still prints must not stop it.
        while !output.fileHandleForReading.availableData.isEmpty {}
        process.waitUntilExit()
        return process.terminationStatus
    }
}
