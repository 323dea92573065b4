import Glibc
import Synchronization

/// Ctrl-C and SIGTERM while no command handles them (`Interruption`): the program reports it and ends at
/// once, with the documented exit code.
///
/// Such a command only reads, or makes its changes in transactions, which are rolled back.
package enum StopSignals {
    // The addresses of C strings, which stay valid as long as the program runs, even those that
    // are replaced; 0 before there are any.
    private static let interruptLine = Atomic<UInt>(0)
    private static let terminationLine = Atomic<UInt>(0)
    private static let handledOnce = Int32(bitPattern: SA_RESETHAND)

    /// Begins to handle the signals, which a parent may have blocked; `line` is the message for a cause.
    ///
    /// If the program was started with one of them ignored, it stays ignored.
    package static func settle(saying line: (_ cause: String) -> String) {
        say(line)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            guard sigaction(number, nil, &action) == 0,
                action.__sigaction_handler.sa_handler == nil
            else { continue }
            action.__sigaction_handler.sa_handler = handler
            action.sa_flags = handledOnce
            sigaction(number, &action, nil)
            sigaddset(&signals, number)
        }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Changes the message to `line`, for a command that leaves something behind.
    package static func say(_ line: (_ cause: String) -> String) {
        interruptLine.store(UInt(bitPattern: strdup(line("Ctrl-C"))), ordering: .releasing)
        terminationLine.store(UInt(bitPattern: strdup(line("SIGTERM"))), ordering: .releasing)
    }

    /// Whether an action is the one that `settle` installs: no other handler is reset after one call.
    static func isOurs(_ action: sigaction) -> Bool { action.sa_flags & handledOnce != 0 }

    private static let handler: @convention(c) (Int32) -> Void = { end(by: $0) }

    /// Writes the prepared message of a signal, and ends the program; calls only what a signal handler may call.
    package static func end(by number: Int32) -> Never {
        let address =
            number == SIGINT
            ? interruptLine.load(ordering: .acquiring)
            : terminationLine.load(ordering: .acquiring)
        if let text = UnsafePointer<CChar>(bitPattern: address) {
            _ = write(STDERR_FILENO, text, strlen(text))
        }
        _exit(Failure.Kind.interrupted.rawValue)
    }
}
