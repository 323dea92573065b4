import Glibc
import Synchronization

/// Ctrl-C and SIGTERM where no verb listens for them (`Interruption`): the program says so and ends, at
/// once, with the code that the help page promises.
///
/// Such a verb only reads, or changes what it changes in transactions, which an end undoes.
package enum Stopping {
    // The addresses of C strings, which stay where they are for as long as the program runs, also those that
    // are replaced; 0 before there are any.
    private static let interruptLine = Atomic<UInt>(0)
    private static let terminationLine = Atomic<UInt>(0)
    private static let handledOnce = Int32(bitPattern: SA_RESETHAND)

    /// Begins to handle the signals, which a parent may have blocked; `line` is what is said of a cause.
    ///
    /// Who started the program with one of them ignored has it ignored.
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

    /// Says `line` of a cause from now on, as a verb does that leaves something behind.
    package static func say(_ line: (_ cause: String) -> String) {
        interruptLine.store(UInt(bitPattern: strdup(line("Ctrl-C"))), ordering: .releasing)
        terminationLine.store(UInt(bitPattern: strdup(line("SIGTERM"))), ordering: .releasing)
    }

    /// Whether an action is the one that `settle` installs: nobody else here asks to be called once only.
    static func isOurs(_ action: sigaction) -> Bool { action.sa_flags & handledOnce != 0 }

    private static let handler: @convention(c) (Int32) -> Void = { end(by: $0) }

    /// Says what is prepared of a signal, and ends the program; calls only what a signal handler may call.
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
