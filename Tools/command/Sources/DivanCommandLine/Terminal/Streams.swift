package import DivanPlatform

/// The streams that a command reads and writes: the program's own, or those of another process
/// that it runs for.
package struct Streams: Sendable {
    /// The input for `-`.
    package let input: FileDescriptor
    /// Where results go.
    package let output: FileDescriptor
    /// Where messages go.
    package let errors: FileDescriptor
    /// Requests stops instead of a signal; `nil` for the program's own streams.
    package let interruption: Interruption?

    /// The secrets in the environment of the process that this works for; `nil` for the program's own.
    package let environment: [String: String]?

    /// The streams of another process, and its secrets.
    package init(
        input: FileDescriptor,
        output: FileDescriptor,
        errors: FileDescriptor,
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
        input = .standardInput
        output = .standardOutput
        errors = .standardError
        interruption = nil
        environment = nil
    }

    /// Those of this thread's command.
    @TaskLocal package static var current = Streams()
}
