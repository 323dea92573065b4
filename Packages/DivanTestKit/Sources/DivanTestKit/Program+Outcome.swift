internal import DivanPlatform
public import Foundation

extension Program {
    /// The exit status and output of a program.
    public struct Outcome: Sendable, Equatable {
        /// The exit status, or the signal's number if a signal ended the program.
        public let status: Int32
        /// Whether a signal ended the program.
        public let isSignalled: Bool
        /// The standard output.
        public let outputBytes: Data
        /// The standard output as text; bytes that are not UTF-8 are replaced.
        public var output: String { String(decoding: outputBytes, as: UTF8.self) }
        /// The standard error, if it was captured separately.
        public let errors: String

        /// The non-empty lines of standard output.
        public var lines: [String] { output.split(separator: "\n").map(String.init) }

        init(of ended: ChildProcess.Status, output: Data, errors: Data) {
            isSignalled = ended.signal != 0
            status = isSignalled ? ended.signal : ended.exitStatus
            outputBytes = output
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
