import DivanLog
import DivanPlatform
import DivanTLS
import Synchronization

/// Those connections of a server that live on one loop.
///
/// It lives until the last of them has ended. `@unchecked Sendable` holds because the stored state is touched only on
/// `loop`; `admit` and `stop` hop there.
final class WebSocketServerShard: @unchecked Sendable {
    let loop: EpollLoop

    private let configuration: WebSocketServerConfiguration
    private let tls: CurrentTLS
    private let halfOpenLimit: Int
    private let addressHalfOpenLimit: Int
    private let connectionCount: ConnectionCount
    private let load = Atomic<Int>(0)
    private let log: Log
    private let onRequest: @Sendable (UpgradeRequest) -> Void

    private var openings: [Int: ServerOpening] = [:]
    private var oldestOpening = 0
    private var openingsByOrigin: [SocketAddress.Origin: [Int]] = [:]
    private var lastNumber = 0
    private var transports: [Int: WebSocketServerTransport] = [:]
    private var stopped: (@Sendable () -> Void)?
    private var isStopped = false

    init(
        loop: EpollLoop,
        configuration: WebSocketServerConfiguration,
        tls: CurrentTLS,
        halfOpenLimit: Int,
        addressHalfOpenLimit: Int,
        connectionCount: ConnectionCount,
        log: Log,
        onRequest: @escaping @Sendable (UpgradeRequest) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.tls = tls
        self.halfOpenLimit = halfOpenLimit
        self.addressHalfOpenLimit = addressHalfOpenLimit
        self.connectionCount = connectionCount
        self.log = log
        self.onRequest = onRequest
    }

    /// How long a new connection would wait here: the shard's load, and the hop to its loop.
    var distance: Int { 2 * load.load(ordering: .relaxed) + (loop.isCurrent ? 0 : 1) }

    /// Takes over an accepted socket; from any thread.
    func admit(_ socket: Socket, from address: SocketAddress) {
        load.add(1, ordering: .relaxed)
        guard !loop.isCurrent else { return open(socket, address) }
        loop.execute { self.open(socket, address) }
    }

    /// Drops unfinished handshakes, closes every connection properly, and calls `completion` at the end.
    func stop(code: UInt16, reason: String, _ completion: @escaping @Sendable () -> Void) {
        loop.execute {
            guard !self.isStopped else { return completion() }
            self.isStopped = true
            self.stopped = completion
            for opening in self.openings.values { opening.giveUp("the server is stopping") }
            for transport in self.transports.values { transport.close(code: code, reason: reason) }
            self.reportStop()
        }
    }

    /// Drops unfinished handshakes, whose clients were examined under rules that no longer hold.
    func dropHandshakes() {
        loop.execute {
            for opening in self.openings.values { opening.giveUp("the certificates were replaced") }
        }
    }

    private func open(_ socket: Socket, _ address: SocketAddress) {
        guard !isStopped, connectionCount.value < configuration.limits.connectionCount else {
            if !isStopped { log.warning("\(address: address): refused, too many connections") }
            connectionCount.addRefused()
            return rejectConnection(socket)
        }
        if openings.count >= halfOpenLimit { dropOldest() }
        let origin = address.origin
        makeRoom(for: address, origin)
        let session: TLSSession?
        do throws(TLSError) {
            session = try tls.makeSession()
        } catch {
            log.error("\(address: address): \(error)")
            return rejectConnection(socket)
        }
        let stream = ByteStream(
            socket,
            tls: session,
            loop: loop,
            limits: configuration.limits
        )
        lastNumber += 1
        let number = lastNumber
        let opening = ServerOpening(
            stream,
            address: address,
            isSecure: session != nil,
            configuration: configuration,
            reserve: { [connectionCount, limit = configuration.limits.connectionCount] in
                connectionCount.add(below: limit)
            },
            log: log,
            onRequest: onRequest,
            didFinish: { transport in
                self.forget(number, of: origin)
                self.didFinish(number, transport)
            }
        )
        openings[number] = opening
        openingsByOrigin[origin, default: []].append(number)
        opening.start()
    }

    private func rejectConnection(_ socket: Socket) {
        load.subtract(1, ordering: .relaxed)
        socket.close()
    }

    /// A flood of silent clients must not keep the others out: the oldest is dropped.
    private func dropOldest() {
        while oldestOpening < lastNumber {
            oldestOpening += 1
            guard let opening = openings[oldestOpening] else { continue }
            return opening.giveUp("too many unfinished handshakes")
        }
    }

    /// One address must not crowd out other addresses' handshakes: its own oldest is dropped.
    private func makeRoom(for address: SocketAddress, _ origin: SocketAddress.Origin) {
        let limits = configuration.limits
        guard let numbers = openingsByOrigin[origin], let oldest = numbers.first,
            numbers.count >= addressHalfOpenLimit, !(limits.sparesLoopback && address.isLoopback)
        else { return }
        openings[oldest]?.giveUp("too many unfinished handshakes from this address")
    }

    private func forget(_ number: Int, of origin: SocketAddress.Origin) {
        openingsByOrigin[origin]?.removeAll { $0 == number }
        if openingsByOrigin[origin]?.isEmpty == true { openingsByOrigin[origin] = nil }
    }

    private func didFinish(_ number: Int, _ transport: WebSocketServerTransport?) {
        openings[number] = nil
        guard let transport else {
            connectionCount.addFailed()
            load.subtract(1, ordering: .relaxed)
            return reportStop()
        }
        guard !isStopped else {
            connectionCount.add(-1)
            return transport.close(code: 1001, reason: "")
        }
        transports[number] = transport
        transport.whenEnded { self.didEnd(number) }
    }

    private func didEnd(_ number: Int) {
        transports[number] = nil
        connectionCount.add(-1)
        load.subtract(1, ordering: .relaxed)
        reportStop()
    }

    private func reportStop() {
        guard isStopped, openings.isEmpty, transports.isEmpty else { return }
        let completion = stopped
        stopped = nil
        completion?()
    }
}

/// How many connections a server has, on all its loops.
final class ConnectionCount: Sendable {
    private let count = Atomic<Int>(0)
    private let failed = Atomic<UInt64>(0)
    private let refused = Atomic<UInt64>(0)

    var value: Int { count.load(ordering: .relaxed) }
    /// Accepted connections that were never upgraded.
    var failedHandshakeCount: UInt64 { failed.load(ordering: .relaxed) }
    /// Connections closed at once or answered with 503 because there were too many.
    var refusedCount: UInt64 { refused.load(ordering: .relaxed) }

    /// Counts one more unless there are `limit` already; concurrent calls cannot exceed the limit.
    func add(below limit: Int) -> Bool {
        var current = value
        while current < limit {
            let (isDone, original) = count.weakCompareExchange(
                expected: current,
                desired: current + 1,
                ordering: .relaxed
            )
            if isDone { return true }
            current = original
        }
        addRefused()
        return false
    }

    func add(_ change: Int) { count.wrappingAdd(change, ordering: .relaxed) }
    func addFailed() { failed.wrappingAdd(1, ordering: .relaxed) }
    func addRefused() { refused.wrappingAdd(1, ordering: .relaxed) }
}
