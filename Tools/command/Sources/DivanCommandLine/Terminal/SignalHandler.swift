import Dispatch
import DivanPlatform

/// Handles signals of this process from its creation until it is released.
///
/// Unchecked: the sources are set by init and never changed again.
final class SignalHandler: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]

    /// Returns once the signals are handled: an earlier signal ends the program, and is not lost.
    init(_ signals: [Signal], label: String, _ handle: @escaping @Sendable (Signal) -> Void) {
        let queue = DispatchQueue(label: label)
        let registrations = DispatchGroup()
        sources = signals.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: queue)
            source.setEventHandler { handle(signal) }
            registrations.enter()
            source.setRegistrationHandler { registrations.leave() }
            return source
        }
        for source in sources { source.resume() }
        registrations.wait()
    }

    deinit { for source in sources { source.cancel() } }
}
