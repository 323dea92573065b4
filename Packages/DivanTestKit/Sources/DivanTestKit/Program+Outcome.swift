import Foundation

extension Program {
    /// The exit status and output of a program.
    public struct Outcome: Sendable, Equatable {
        /// The exit status, or the signal's number if a signal ended the program.
        public let status: Int32
        /// Whether a signal ended the program.
        public let isSignalled: Bool
        /// The standard output; bytes that are not UTF-8 are replaced.
        public let output: String
        /// The standard error, if it was captured separately.
        public let errors: String

        /// The non-empty lines of standard output.
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
    /// The exit status, then all output, for failed tests.
    public var description: String {
        "\(isSignalled ? "signal" : "status") \(status)\n\(output)\(errors)"
    }
}
