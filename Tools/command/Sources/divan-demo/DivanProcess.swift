import DivanPlatform
import DivanTestKit
import Foundation

/// Runs the `divan` command that was built with the demo.
struct DivanProcess {
    /// The directory that the command works in.
    let directory: String
    private let divan: Program

    init(directory: String) throws {
        self.directory = directory
        let path = Program.built("divan").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw DemoFailure("\(path) does not exist; run 'make demo' to build it")
        }
        divan = Program(path, directory: directory)
    }

    /// Runs a command to its end and returns its output; its messages go to the terminal.
    @discardableResult
    func run(_ words: [String], shows: Bool = true) throws -> String {
        if shows { say("    $ divan " + words.joined(separator: " ")) }
        let outcome = try divan.start(words).finish()
        guard outcome.status == 0 else {
            throw DemoFailure("divan \(words.first ?? "") failed with exit code \(outcome.status)")
        }
        return outcome.output
    }

    /// Starts a command that runs until it is interrupted; it prints a line of JSON per event and for the error.
    func start(_ words: [String]) throws -> RunningProgram {
        say("    $ divan " + words.filter { $0 != "--json" }.joined(separator: " "))
        return try divan.start(words, errors: .amongLines)
    }
}

extension RunningProgram {
    /// Interrupts the command (Ctrl-C) and waits for its end.
    func stop() {
        signal(.interrupt)
        finish()
    }
}
