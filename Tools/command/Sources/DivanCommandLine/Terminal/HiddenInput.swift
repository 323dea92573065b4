import Glibc

/// A line that is not shown while it is typed.
///
/// The terminal's echo is restored as soon as the line is read, and also if Ctrl-C or another
/// signal ends the program in the meantime: without echo, the shell would appear to hang.
package enum HiddenInput {
    /// The terminal's previous settings.
    ///
    /// Safe to read in `giveUp`: it is written only while that handles no signal.
    private nonisolated(unsafe) static var usual = termios()

    /// Shows `prompt` and waits for the line; `nil` if the input ends instead.
    ///
    /// - Throws: `Failure` if the line is not UTF-8.
    package static func read(_ prompt: String) throws(Failure) -> String? {
        guard tcgetattr(STDIN_FILENO, &usual) == 0 else { return nil }
        var hidden = usual
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // The end of the line is echoed, so that what follows begins on a new line.
        hidden.c_lflag |= tcflag_t(ECHONL)
        let bytes = withSignals([SIGINT, SIGQUIT, SIGTERM, SIGHUP]) {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
            defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual) }
            Terminal().write(prompt, to: STDERR_FILENO)
            return line()
        }
        guard let bytes else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(kind: .invalid, sentence: "the input is not valid UTF-8")
        }
        return text
    }

    private static func line() -> [UInt8]? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return bytes.isEmpty ? nil : bytes }
            guard byte != UInt8(ascii: "\n") else { return bytes }
            bytes.append(byte)
        }
    }

    /// Runs `body` while `giveUp` handles the signals; restores their handlers afterwards.
    private static func withSignals<Result>(_ numbers: [Int32], _ body: () -> Result) -> Result {
        let before = numbers.map { number in
            var action = sigaction()
            sigaction(number, nil, &action)
            signal(number, giveUp)
            return action
        }
        defer {
            for (number, var action) in zip(numbers, before) { sigaction(number, &action, nil) }
        }
        return body()
    }

    /// Ends the program with the terminal restored; calls only what a signal handler may call.
    private static let giveUp: @convention(c) (Int32) -> Void = { number in
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
        var newline = UInt8(ascii: "\n")
        _ = write(STDERR_FILENO, &newline, 1)
        let isStop = number == SIGINT || number == SIGTERM
        _exit(isStop ? Failure.Kind.interrupted.rawValue : 128 + number)
    }
}
