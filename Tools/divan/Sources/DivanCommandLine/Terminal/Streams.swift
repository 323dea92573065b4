import Glibc

/// Where the code of a verb reads and writes: the program's own streams, or those of another process
/// for which it works.
package struct Streams: Sendable {
    /// What is read as `-`.
    package let input: Int32
    /// Where results go.
    package let output: Int32
    /// Where everything else goes.
    package let errors: Int32
    /// Who asks to stop in place of a signal; `nil` for the program's own streams.
    package let interruption: Interruption?

    /// The secrets in the environment of the process that is worked for; `nil` for the program's own.
    package let environment: [String: String]?

    /// Names the streams of another process, and its secrets.
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

    /// Those of the verb that runs on this thread.
    @TaskLocal package static var current = Streams()
}
