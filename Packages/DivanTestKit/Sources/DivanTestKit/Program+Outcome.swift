import Foundation

extension Program {
    /// How a program ended, and what it had said.
    public struct Outcome: Sendable, Equatable {
        /// The exit status, or the signal's number when a signal ended the program.
        public let status: Int32
        /// Whether a signal ended the program.
        public let isSignalled: Bool
        /// What it wrote to standard output; bytes that are not UTF-8 are replaced.
        public let output: String
        /// What it wrote to standard error, where that was kept apart.
        public let errors: String

        /// The lines of standard output that are not empty.
        public var lines: [String] { output.split(separator: "\n").map(String.init) }

        init(of process: Process, output: Data, errors: Data) {
            status = process.terminationStatus
            isSignalled = process.terminationReason == .uncaughtSignal
            self.output = String(decoding: output, as: UTF8.self)
            self.errors = String(decoding: errors, as: UTF8.self)
        }
    }
}

extension Program.Outcome: CustomStringConvertible {
    /// The ending, then all that was said: what a failed test shows.
    public var description: String {
        "\(isSignalled ? "signal" : "status") \(status)\n\(output)\(errors)"
    }
}
