package import DivanPlatform
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

    /// Begins to handle the signals, which a parent may have blocked; `line` is the message for a cause.
    ///
    /// If the program was started with one of them ignored, it stays ignored.
    package static func settle(saying line: (_ cause: String) -> String) {
        say(line)
        var handled: [Signal] = []
        for signal in [Signal.interrupt, .terminate] {
            guard let action = signal.action, action.isDefault else { continue }
            signal.setAction(action.handledOnce(by: handler))
            handled.append(signal)
        }
        Signal.unblock(handled)
    }

    /// Changes the message to `line`, for a command that leaves something behind.
    package static func say(_ line: (_ cause: String) -> String) {
        interruptLine.store(UInt(bitPattern: Memory.cString(line("Ctrl-C"))), ordering: .releasing)
        terminationLine.store(
            UInt(bitPattern: Memory.cString(line("SIGTERM"))),
            ordering: .releasing
        )
    }

    /// Whether an action is the one that `settle` installs: no other handler is reset after one call.
    static func isOurs(_ action: Signal.Action) -> Bool { action.isOnce }

    private static let handler: @convention(c) (Int32) -> Void = { end(by: Signal($0)) }

    /// Writes the prepared message of a signal, and ends the program; calls only what a signal handler may call.
    package static func end(by signal: Signal) -> Never {
        let address =
            signal == .interrupt
            ? interruptLine.load(ordering: .acquiring)
            : terminationLine.load(ordering: .acquiring)
        if let text = UnsafePointer<CChar>(bitPattern: address) {
            var count = 0
            while text[count] != 0 { count += 1 }
            writeInSignalHandler(UnsafeRawBufferPointer(start: text, count: count))
        }
        CurrentProcess.exitNow(Failure.Kind.interrupted.rawValue)
    }
}
