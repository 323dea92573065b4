import DivanPlatform

/// A line that is not shown while it is typed.
///
/// The terminal's echo is restored as soon as the line is read, and also if Ctrl-C or another
/// signal ends the program in the meantime: without echo, the shell would appear to hang.
package enum HiddenInput {
    /// The terminal's previous settings.
    ///
    /// Safe to read in `giveUp`: it is written only while that handles no signal.
    private nonisolated(unsafe) static var usual = TerminalSettings()

    /// Shows `prompt` and waits for the line; `nil` if the input ends instead.
    ///
    /// - Throws: `Failure` if the line is not UTF-8.
    package static func read(_ prompt: String) throws(Failure) -> String? {
        guard let settings = TerminalSettings(of: .standardInput) else { return nil }
        usual = settings
        let bytes = withSignals([.interrupt, .quit, .terminate, .hangup]) {
            settings.hidden.apply(to: .standardInput, discardingInput: true)
            defer { settings.apply(to: .standardInput, discardingInput: true) }
            Terminal().write(prompt, to: .standardError)
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
        while true {
            let piece = try? FileDescriptor.standardInput.read(upTo: 1)
            guard let byte = piece?.first else { return bytes.isEmpty ? nil : bytes }
            guard byte != UInt8(ascii: "\n") else { return bytes }
            bytes.append(byte)
        }
    }

    /// Runs `body` while `giveUp` handles the signals; restores their handlers afterwards.
    private static func withSignals<Result>(_ signals: [Signal], _ body: () -> Result) -> Result {
        let before = signals.map(\.action)
        for signal in signals { signal.handle(by: giveUp) }
        defer {
            for (signal, action) in zip(signals, before) {
                if let action { signal.setAction(action) }
            }
        }
        return body()
    }

    /// Ends the program with the terminal restored; calls only what a signal handler may call.
    private static let giveUp: @convention(c) (Int32) -> Void = { number in
        usual.apply(to: .standardInput, discardingInput: true)
        var newline = UInt8(ascii: "\n")
        withUnsafeBytes(of: &newline) { writeInSignalHandler($0) }
        let isStop = Signal(number) == .interrupt || Signal(number) == .terminate
        CurrentProcess.exitNow(isStop ? Failure.Kind.interrupted.rawValue : 128 + number)
    }
}
