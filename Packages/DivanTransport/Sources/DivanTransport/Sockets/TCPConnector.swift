import DivanPlatform

/// Connects to the first of several addresses that answers.
///
/// Attempts start one after another, the next when one fails or after a short delay, alternating between families, so
/// that a broken IPv6 route costs a quarter of a second and not a time-out. Everything happens on the loop. Source: RFC
/// 8305 §4, §5.
final class TCPConnector {
    typealias Completion = (Result<(Socket, SocketAddress), SystemError>) -> Void

    private let loop: EpollLoop
    private let attemptDelay: Duration
    private let source: [SocketAddress]  // addresses to connect from; empty for any
    private var addresses: ArraySlice<SocketAddress>
    private var attempts: [Attempt] = []
    private var timer: TimerToken?
    private var completion: Completion?
    private var lastError = SystemError("connect", .noRouteToHost)

    init(
        _ addresses: [SocketAddress],
        from source: [SocketAddress],
        attemptDelay: Duration,
        loop: EpollLoop,
        _ completion: @escaping Completion
    ) {
        self.loop = loop
        self.attemptDelay = attemptDelay
        self.source = source
        self.addresses = Self.familiesInTurn(addresses)[...]
        self.completion = completion
    }

    func start() {
        startNext()
    }

    /// Gives up; the completion is no longer called.
    func cancel() {
        finish(nil)
    }

    private func startNext() {
        if let timer { loop.cancel(timer) }
        timer = nil
        guard let address = addresses.popFirst() else {
            if attempts.isEmpty { finish(.failure(lastError)) }
            return
        }
        do {
            try start(address)
        } catch {
            lastError = error
            startNext()
        }
    }

    private func start(_ address: SocketAddress) throws(SystemError) {
        let socket = try Socket(family: address.family)
        do {
            if !source.isEmpty { try bind(socket, towards: address) }
            let isConnected = try socket.connect(to: address)
            let attempt = Attempt(socket, address, connector: self)
            attempts.append(attempt)
            loop.add(socket.descriptor, attempt, .writing)
            if isConnected { return didConnect(attempt) }
        } catch {
            socket.close()
            throw error
        }
        guard !addresses.isEmpty else { return }
        timer = loop.scheduleHere(at: loop.now + attemptDelay) { [weak self] in self?.startNext() }
    }

    private func bind(_ socket: Socket, towards address: SocketAddress) throws(SystemError) {
        guard let own = source.first(where: { $0.family == address.family }) else {
            throw SystemError("bind", .addressNotAvailable)
        }
        try socket.bind(to: own)
    }

    fileprivate func didConnect(_ attempt: Attempt) {
        do {
            try attempt.socket.checkConnected()
        } catch {
            lastError = error
            drop(attempt)
            if completion != nil { startNext() }
            return
        }
        attempts.removeAll { $0 === attempt }
        loop.remove(attempt.socket.descriptor)
        finish(.success((attempt.socket, attempt.address)))
    }

    private func drop(_ attempt: Attempt) {
        attempts.removeAll { $0 === attempt }
        loop.remove(attempt.socket.descriptor)
        attempt.socket.close()
    }

    private func finish(_ result: Result<(Socket, SocketAddress), SystemError>?) {
        if let timer { loop.cancel(timer) }
        timer = nil
        addresses = []
        for attempt in attempts { drop(attempt) }
        let completion = completion
        self.completion = nil
        if let result { completion?(result) }
    }

    /// Interleaves the families, starting with that of the best address.
    private static func familiesInTurn(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let preferred = addresses.filter { $0.family == first.family }
        let others = addresses.filter { $0.family != first.family }
        var ordered: [SocketAddress] = []
        for index in 0..<max(preferred.count, others.count) {
            if index < preferred.count { ordered.append(preferred[index]) }
            if index < others.count { ordered.append(others[index]) }
        }
        return ordered
    }
}

/// One socket that is being connected.
private final class Attempt: EventSource {
    let socket: Socket
    let address: SocketAddress
    private weak var connector: TCPConnector?

    init(_ socket: Socket, _ address: SocketAddress, connector: TCPConnector) {
        self.socket = socket
        self.address = address
        self.connector = connector
    }

    func isReadable() {}

    func isWritable() { connector?.didConnect(self) }
}
