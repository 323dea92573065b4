import DivanHTTP
public import DivanLog
import DivanPlatform
public import DivanTLS
import Synchronization

/// Answers HTTP/1.1 requests, over TLS if configured.
///
/// All members can be used from any thread. A server stops when it is released.
public final class HTTPServer: Sendable {
    /// The settings of the server.
    public typealias Configuration = HTTPServerConfiguration

    private struct Running: Sendable {
        let port: UInt16
        let listeners: [TCPListener]
        let shards: [HTTPServerShard]
    }

    private let configuration: Configuration
    private let loops: EventLoopGroup
    private let log: Log
    private let onRequest: @Sendable (HTTPExchange) -> Void
    private let count = ConnectionCount()
    private let crowding = ConnectionEvictions()
    private let tls: CurrentTLS
    private let running = Mutex<Running?>(nil)

    /// Prepares a server; it listens once `start` is called.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the server.
    ///   - loops: The loops to which the connections are distributed.
    ///   - log: The log for failed connections.
    ///   - onRequest: Called with each request, on the connection's loop, so it must not block: keep the exchange
    ///     and answer on another thread.
    public init(
        _ configuration: Configuration,
        loops: EventLoopGroup = .shared,
        log: Log = Log(.listener),
        onRequest: @escaping @Sendable (HTTPExchange) -> Void
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

    /// The number of open connections.
    public var connectionCount: Int { count.value }

    /// Connections that were closed to make room for others.
    public var displacedConnectionCount: UInt64 { crowding.count }

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
                stallTimeout: configuration.transport.stallTimeout
            )
            let port = sockets.first?.localAddress()?.port ?? configuration.port
            let shards = makeShards()
            let turn = ShardSelector(shards: shards)
            let listeners = sockets.map { socket in
                TCPListener(
                    socket,
                    loop: loops.next(),
                    pause: configuration.transport.acceptPause,
                    log: log
                ) { accepted, address in turn.next().admit(accepted, from: address) }
            }
            for listener in listeners { listener.start() }
            running = Running(port: port, listeners: listeners, shards: shards)
            return port
        }
    }

    private func makeShards() -> [HTTPServerShard] {
        let room = BodyMemoryBudget(configuration.limits)
        // Each shard makes room among its own connections, so each has a share of the limit.
        let share = max(1, configuration.limits.connectionCount / loops.loops.count)
        return loops.loops.map { loop in
            HTTPServerShard(
                loop: loop,
                configuration,
                tls: tls,
                limit: share,
                count: count,
                crowding: crowding,
                room: room,
                log: log,
                onRequest: onRequest
            )
        }
    }

    /// Closes the connections that no exchange keeps open (`HTTPExchange.keepConnection`).
    ///
    /// Unfinished responses are aborted. Each connection is closed soon after the call, on its own loop.
    public func dismissUnwelcome() {
        for shard in running.withLock({ $0?.shards }) ?? [] { shard.dismiss(all: false) }
    }

    /// Uses other TLS settings for clients that connect from now on.
    ///
    /// Has no effect on a server without TLS. Open connections continue unless `dismissesAll` is set: their
    /// clients' certificates were verified with the old settings.
    public func replaceTLS(with context: TLSContext, dismissesAll: Bool) {
        tls.replace(with: context)
        guard dismissesAll else { return }
        for shard in running.withLock({ $0?.shards }) ?? [] { shard.dismiss(all: true) }
    }

    /// Stops listening and closes all connections; unfinished responses are aborted.
    ///
    /// After the call no client can connect.
    public func stop() {
        let stopping = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let stopping else { return }
        for listener in stopping.listeners { listener.stop {} }
        for shard in stopping.shards { shard.stop() }
    }
}
