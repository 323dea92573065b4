import DivanPlatform
import DivanTestKit
import Foundation

/// A terminal in which a command runs until Ctrl-C.
final class ServingTerminal {
    /// The line that reported that it has started.
    let greeting: String
    private let process: RunningProgram

    /// Types a script, and waits for a line that begins with `greeting`.
    init(
        _ shell: Shell,
        _ script: String,
        _ environment: [String: String] = [:],
        greeting: String
    ) throws {
        process = try shell.startBash(script, environment: environment)
        self.greeting = try process.line { $0.hasPrefix(greeting) }
    }

    deinit { interrupt() }

    /// Waits for a line that satisfies a condition; earlier lines are skipped.
    @discardableResult
    func line(where isWanted: (String) -> Bool) throws -> String {
        try process.line(where: isWanted)
    }

    /// Waits for a line with this beginning; earlier lines are skipped.
    @discardableResult
    func line(_ beginning: String) throws -> String {
        try process.line { $0.hasPrefix(beginning) }
    }

    /// Presses Ctrl-C, which the terminal's whole process group receives; returns the exit code.
    @discardableResult
    func interrupt() -> Int32? {
        guard process.isRunning else { return nil }
        Signal.interrupt.sendToGroup(of: process.processIdentifier)
        return process.finish().status
    }
}
