import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// A temporary folder in which the built `divan` command is run.
final class Shell: Sendable {
    private let folder: TemporaryDirectory

    /// The command that was built with the tests: the one that `Tools/scripts/test` linked to start fast, or the usual.
    static var divan: Program {
        CurrentProcess.variable("DIVAN_UNDER_TEST").map { Program($0) } ?? .built("divan")
    }

    init() throws {
        folder = try TemporaryDirectory()
    }

    var directory: String { folder.path }

    /// Runs a command to its end.
    @discardableResult
    func divan(_ words: String..., input: String = "") throws -> Program.Outcome {
        try divan(words, input: input)
    }

    /// Runs a command to its end.
    @discardableResult
    func divan(
        _ words: [String],
        input: String = "",
        environment: [String: String] = [:]
    ) throws -> Program.Outcome {
        try program(Self.divan, environment).run(words, input: input)
    }

    /// Runs a script in bash, where `divan` is the command that was built with the tests.
    func bash(_ script: String, environment: [String: String] = [:]) throws -> Program.Outcome {
        try self.script(script, environment) { try $0.run($1) }
    }

    /// Starts a script in bash that keeps running and prints to standard error.
    func startBash(
        _ script: String,
        environment: [String: String] = [:]
    ) throws -> RunningProgram {
        try self.script("exec 2>&1 >/dev/null\n" + script, environment) { try $0.start($1) }
    }

    private func script<Result>(
        _ script: String,
        _ environment: [String: String],
        _ run: (Program, [String]) throws -> Result
    ) throws -> Result {
        let divan = Self.divan.path
        let bash = program(Program("/bin/bash"), environment.merging(["DIVAN": divan]) { $1 })
        return try run(bash, ["-euc", "PATH=\"$(dirname \"$DIVAN\"):$PATH\"\n" + script])
    }

    /// Runs a command that must succeed.
    @discardableResult
    func run(_ words: String...) throws -> Program.Outcome {
        let outcome = try divan(words)
        #expect(outcome.status == 0, "divan \(words.joined(separator: " ")): \(outcome.errors)")
        return outcome
    }

    /// Starts a command that keeps running and prints events.
    func start(_ words: String...) throws -> Peer {
        try start(words)
    }

    /// Starts a command that keeps running and prints events.
    func start(
        _ words: [String],
        _ environment: [String: String] = [:],
        of command: Program = Shell.divan,
        errors: RunningProgram.Errors = .discarded
    ) throws -> Peer {
        let divan = program(command, environment)
        // A wait for an event that never comes fails, instead of lasting for ever.
        let patience = Duration.seconds(120)
        return Peer(
            process: try divan.start(words + ["--json"], errors: errors, patience: patience)
        )
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

    /// A program in the folder, with the usual environment of a command.
    private func program(_ program: Program, _ environment: [String: String]) -> Program {
        var program = program
        program.directory = directory
        program.environment = [
            "XDG_DATA_HOME": path("data"), "DIVAN_PASSWORD": nil, "DIVAN_KEY_FILE": nil,
        ]
        program.environment.merge(environment) { $1 }
        return program
    }
}

extension Program.Outcome {
    /// The lines of standard error.
    ///
    /// Errors of `--json` are converted to the words that people get.
    var complaints: [String] {
        errors.split(separator: "\n").flatMap { line in
            guard line.hasPrefix("{\"error\":"),
                let value = try? JSONSerialization.jsonObject(with: Data(line.utf8)),
                let error = (value as? [String: Any])?["error"] as? [String: Any],
                let sentence = error["sentence"] as? String
            else { return [String(line)] }
            let hint = (error["hint"] as? String).map { ["hint: " + $0] } ?? []
            return ["divan: " + sentence] + hint
        }
    }

    /// Standard output as one JSON object.
    func json() throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
        return try #require(value as? [String: Any])
    }
}

/// A `divan` process that runs until it is stopped, and prints events.
struct Peer {
    let process: RunningProgram

    /// Waits for the next event that satisfies a condition.
    func event(_ isWanted: ([String: Any]) -> Bool) throws -> [String: Any] {
        try process.event(where: isWanted)
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
        process.signal(.interrupt)
        return process.finish().status
    }

    /// Ends the process like a power cut; returns when it is gone.
    func killHard() { process.kill() }
}
