import Dispatch
import DivanAuth
import DivanTLS
import DivanTransport
import DivanWebSocket
import Synchronization

/// Asks an authenticator about clients, off their loops, a few at a time; the others wait in line.
///
/// The line is as long as the transport's bound of half-open connections.
final class PasswordGate: Sendable {
    private struct State {
        var runningCount = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let authenticator: any ListenerAuthenticator
    private let limit: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "divan.listener.passwords", attributes: .concurrent)

    init(_ authenticator: any ListenerAuthenticator, limit: Int) {
        self.authenticator = authenticator
        self.limit = limit
    }

    /// Calls `completion` with the decision, from a thread of the gate's own.
    func decide(
        about request: UpgradeRequest,
        _ completion: @escaping @Sendable (AuthenticationOutcome) -> Void
    ) {
        let question = AuthenticationRequest(
            authorization: request.handshake.headers["Authorization"],
            headers: request.handshake.headers.fields.map { ($0.name, $0.value) },
            certificates: request.certificates.map(\.derBytes),
            remoteAddress: request.address.host
        )
        enter { [authenticator] in completion(authenticator.authenticate(question)) }
    }

    private func enter(_ work: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            guard state.runningCount < limit else {
                state.waiting.append(work)
                return false
            }
            state.runningCount += 1
            return true
        }
        if isFree { run(work) }
    }

    private func run(_ work: @escaping @Sendable () -> Void) {
        queue.async {
            work()
            let next = self.state.withLock { state -> (@Sendable () -> Void)? in
                guard !state.waiting.isEmpty else {
                    state.runningCount -= 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
            if let next { self.run(next) }
        }
    }
}
