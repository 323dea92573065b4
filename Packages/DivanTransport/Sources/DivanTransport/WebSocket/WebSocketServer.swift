public import DivanLog
import DivanPlatform
public import DivanTLS
import DivanWebSocket
import Synchronization

/// Accepts WebSocket connections, over TLS if configured, and lets the owner decide about each upgrade.
///
/// All members can be used from any thread. A server stops when it is released.
public final class WebSocketServer: Sendable {
    /// Where to listen, and how connections behave.
    public typealias Configuration = WebSocketServerConfiguration

    private struct Running: Sendable {
        let port: UInt16
        let listeners: [TCPListener]
        let shards: [WebSocketServerShard]
    }

    private let configuration: Configuration
    private let loops: EventLoopGroup
    private let log: Log
    private let onRequest: @Sendable (UpgradeRequest) -> Void
    private let count = ConnectionCount()
    private let tls: CurrentTLS
    private let running = Mutex<Running?>(nil)

    /// Prepares a server; it listens once `start` is called.
    ///
    /// - Parameters:
    ///   - configuration: Where to listen, and how connections behave.
    ///   - loops: The loops to which the connections are distributed.
    ///   - log: The log for refused and failed connections.
    ///   - onRequest: Decides about an upgrade; called on the connection's loop, so it must not block: keep the request
    ///     and answer later instead.
    public init(
        _ configuration: Configuration,
        loops: EventLoopGroup = .shared,
        log: Log = Log(.listener),
        onRequest: @escaping @Sendable (UpgradeRequest) -> Void
    ) {
        self.configuration = configuration
        tls = CurrentTLS(configuration.tls)
        self.loops = loops
        self.log = log
        self.onRequest = onRequest
    }

    deinit {
        stop()
    }

    /// The port while the server runs.
    public var port: UInt16? { running.withLock { $0?.port } }

    /// The number of open WebSocket connections.
    public var connectionCount: Int { count.value }

    /// Accepted connections that ended before their upgrade, for any reason.
    public var failedHandshakeCount: UInt64 { count.failedHandshakeCount }

    /// Connections closed at once or answered with 503, because `TransportLimits.connectionCount` was reached.
    public var refusedConnectionCount: UInt64 { count.refusedCount }

    /// Starts to listen; a server that already runs keeps its port.
    ///
    /// - Returns: The port.
    /// - Throws: `TransportError` if the port is in use or the interface does not exist.
    @discardableResult
    public func start() throws(TransportError) -> UInt16 {
        try running.withLock { running throws(TransportError) in
            if let running { return running.port }
            let sockets = try TCPListener.openSockets(
                on: configuration.networkInterface,
                port: configuration.port,
                stallTimeout: configuration.limits.stallTimeout
            )
            let port = sockets.first?.localAddress()?.port ?? configuration.port
            let shards = makeShards()
            let listeners = sockets.map { socket in
                TCPListener(
                    socket,
                    loop: loops.next(),
                    pause: configuration.limits.acceptPause,
                    log: log
                ) { accepted, address in
                    // On the accepting loop, unless another loop has fewer: a hop costs two context switches.
                    shards.min { $0.distance < $1.distance }?
                        .admit(accepted, from: address)
                }
            }
            for listener in listeners { listener.start() }
            running = Running(port: port, listeners: listeners, shards: shards)
            return port
        }
    }

    /// Stops listening and closes all connections with the closing handshake.
    ///
    /// After the call no client can connect. This class, and any program that sets `SO_REUSEADDR`, can listen on
    /// the port again after the call; other programs after `completion`.
    ///
    /// - Parameters:
    ///   - code: The close code; 1001 means “going away”.
    ///   - reason: A reason for the peers' logs.
    ///   - completion: Called, on any thread, when all connections have ended.
    public func stop(
        code: UInt16 = 1001,
        reason: String = "",
        then completion: (@Sendable () -> Void)? = nil
    ) {
        let stopping = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let stopping else {
            completion?()
            return
        }
        let count = stopping.listeners.count + stopping.shards.count
        let remaining = Countdown(count) { completion?() }
        for listener in stopping.listeners { listener.stop { remaining.step() } }
        for shard in stopping.shards { shard.stop(code: code, reason: reason) { remaining.step() } }
    }

    /// Uses other TLS settings for clients that connect from now on; open connections continue.
    ///
    /// Unfinished handshakes are aborted. Has no effect on a server without TLS.
    public func replaceTLS(with context: TLSContext) {
        tls.replace(with: context)
        for shard in running.withLock({ $0?.shards }) ?? [] { shard.dropHandshakes() }
    }

    private func makeShards() -> [WebSocketServerShard] {
        loops.loops.map { loop in
            WebSocketServerShard(
                loop: loop,
                configuration: configuration,
                tls: tls,
                halfOpenLimit: max(1, configuration.limits.halfOpenCount / loops.loops.count),
                addressHalfOpenLimit: max(
                    1,
                    configuration.limits.addressHalfOpenCount / loops.loops.count
                ),
                connectionCount: count,
                log: log,
                onRequest: onRequest
            )
        }
    }
}

/// Calls a closure after a number of steps.
private final class Countdown: Sendable {
    private let remaining: Atomic<Int>
    private let work: @Sendable () -> Void

    init(_ count: Int, _ work: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.work = work
    }

    func step() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { work() }
    }
}
