import Glibc

/// The streams that a command reads and writes: the program's own, or those of another process
/// that it runs for.
package struct Streams: Sendable {
    /// The input for `-`.
    package let input: Int32
    /// Where results go.
    package let output: Int32
    /// Where messages go.
    package let errors: Int32
    /// Requests stops instead of a signal; `nil` for the program's own streams.
    package let interruption: Interruption?

    /// The secrets in the environment of the process that this works for; `nil` for the program's own.
    package let environment: [String: String]?

    /// The streams of another process, and its secrets.
    package init(
        input: Int32,
        output: Int32,
        errors: Int32,
        interruption: Interruption,
        environment: [String: String]
    ) {
        self.input = input
        self.output = output
        self.errors = errors
        self.interruption = interruption
        self.environment = environment
    }

    private init() {
        input = STDIN_FILENO
        output = STDOUT_FILENO
        errors = STDERR_FILENO
        interruption = nil
        environment = nil
    }

    /// Those of this thread's command.
    @TaskLocal package static var current = Streams()
}
