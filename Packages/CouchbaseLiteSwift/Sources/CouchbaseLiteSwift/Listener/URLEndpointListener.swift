import DivanDatabase
import DivanDiscovery
import DivanListener
import DivanLog
import DivanPlatform
import DivanTLS
import DivanTransport
public import Foundation
import Synchronization

/// Accepts connections from replicators in other processes and on other devices, and syncs collections with them (the
/// passive peer).
///
/// All members can be used from any thread. A started listener stays alive until it is stopped or its database is
/// closed. It never resolves conflicts: it rejects a push that would create one, and the client pulls, resolves and
/// pushes again.
///
/// Source: `behaviour.md` §13.
public final class URLEndpointListener: Sendable {
    /// The number of connected clients.
    public struct ConnectionStatus: Equatable, Sendable {
        /// Open replication connections.
        public let connectionCount: UInt64
        /// Connections that were opened, or exchanged documents, within the last half second.
        public let activeConnectionCount: UInt64
    }

    private struct Running {
        let server: ListenerServer
        var identity: TLSIdentity?
        let port: UInt16
        /// Keeps old bodies as delta sources for clients that return later.
        let deltaSources: DeltaSourceHold?
        let advertisement: RunningAdvertisement?
    }

    /// All listeners of this process, for the metrics.
    static let living = WeakList<URLEndpointListener>()

    /// A copy of the configuration that the listener was created with.
    public let config: URLEndpointListenerConfiguration

    private let running = Mutex<Running?>(nil)
    /// Held throughout a start, so that a concurrent stop or close finds what was started.
    ///
    /// Recursive, because a start writes to the log, and the application's log sink may use the listener.
    private let order = NSRecursiveLock()
    /// Whether the thread that holds `order` is starting the listener.
    private let isStarting = Atomic(false)
    private let runEnd = ServiceEnd()
    private let statusObserver = Mutex<(@Sendable () -> Void)?>(nil)

    /// Creates a listener; it does nothing until it is started.
    public init(config: URLEndpointListenerConfiguration) {
        self.config = config
        Self.living.add(self)
    }

    /// Starts listening; does nothing if already listening.
    ///
    /// - Throws: `EADDRINUSE` in `NSPOSIXErrorDomain` if the port is in use, `unknownHost` (5002) for an interface that
    ///   does not exist, `crypto` (22) if the identity cannot be created or read, `invalidParameter` (9) for a
    ///   certificate authenticator without TLS or an invalid name of an advertisement or codec, `unsupported` (19) if
    ///   the discovery is not available on this machine, and `notOpen` (6) when the database is closed or a collection was
    ///   deleted; `transactionNotClosed` (18) inside `inBatch` if delta sources must be recorded or discarded.
    public func start() throws {
        try translatingErrors {
            guard port == nil else { return }
            // Before taking the lock: this waits for a batch, and the batch may stop the listener.
            let sources = try deltaSources()
            try order.withLock {
                guard port == nil, !isStarting.exchange(true, ordering: .relaxed) else { return }
                defer { isStarting.store(false, ordering: .relaxed) }
                try config.home.register(self)
                do {
                    let begun = try listen(holding: sources)
                    runEnd.began()
                    running.withLock { $0 = begun }
                } catch {
                    config.home.unregister(self)
                    throw error
                }
            }
        }
    }

    /// Stops listening and closes every connection; ignored unless listening.
    ///
    /// Clients stop with 11001 ("going away").
    public func stop() {
        end(forRestart: false)
    }

    /// Stops listening, and lets clients reconnect later.
    ///
    /// Clients retry, as after a lost connection. An addition to the official API.
    public func stopForRestart() {
        end(forRestart: true)
    }

    /// The port; `nil` unless listening.
    public var port: UInt16? { running.withLock { $0?.port } }

    /// The listener's TLS identity; `nil` unless listening with TLS.
    public var tlsIdentity: TLSIdentity? { running.withLock { $0?.identity } }

    /// The name under which the listener is advertised; `nil` if it is not, or not yet.
    ///
    /// It differs from the configured name if that was in use. An addition to the official API.
    public var advertisedName: String? { running.withLock { $0?.advertisement }?.name }

    /// The URLs of this listener, one for each address of the machine and one for its host name; `nil` unless
    /// listening.
    ///
    /// The database's name is percent-encoded, including slashes. A link-local address contains the zone of this
    /// machine; clients must replace it with their own.
    public var urls: [URL]? {
        guard let port else { return nil }
        let scheme = config.disableTLS ? "ws" : "wss"
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "/;")
        let name = config.home.name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        return ListenerAddresses.hosts(interface: config.networkInterface).compactMap { host in
            URL(string: "\(scheme)://\(host):\(port)/\(name)")
        }
    }

    /// The number of connected clients; zero unless listening.
    public var status: ConnectionStatus {
        let status = server?.status
        return ConnectionStatus(
            connectionCount: UInt64(status?.connectionCount ?? 0),
            activeConnectionCount: UInt64(status?.activeConnectionCount ?? 0)
        )
    }

    /// Deletes the self-signed identities of listeners that have no configured identity, for all databases.
    ///
    /// Clients that have pinned such an identity cannot connect after the listener's next start.
    ///
    /// - Throws: `crypto` (22) if a file cannot be removed.
    public static func deleteAnonymousIdentities() throws {
        try translatingErrors { try AnonymousIdentities.deleteAll() }
    }

    /// The server while listening.
    var server: ListenerServer? { running.withLock { $0?.server } }

    /// Presents another identity from now on, unless it does not listen.
    func present(_ identity: TLSIdentity?, _ context: TLSContext) {
        running.withLock { running in
            running?.server.replaceTLS(with: context)
            running?.identity = identity
        }
    }

    /// Calls `observer` after a connection has opened or ended, and after the listener has stopped, on any thread.
    @_spi(Modern) public func onStatusChange(_ observer: @escaping @Sendable () -> Void) {
        statusObserver.withLock { $0 = observer }
    }

    private func statusChanged() {
        statusObserver.withLock { $0 }?()
    }

    private func deltaSources() throws -> DeltaSourceHold? {
        let store = try config.home.openStore()
        do {
            if config.enableDeltaSync { return try store.holdDeltaSources() }
            try store.forgetDeltaSources()
            return nil
        } catch {
            // The store's own error would tell the caller to close what is open.
            try config.home.requireNoBatch("start a listener")
            throw error
        }
    }

    private func listen(holding sources: DeltaSourceHold?) throws -> Running {
        let identity = try config.usedIdentity()
        closeDeletions()
        var settings = try config.serverConfiguration(identity: identity)
        settings.onConnectionChange = { [weak self] in self?.statusChanged() }
        let server = ListenerServer(settings)
        let port: UInt16
        do {
            port = try server.start()
        } catch let error as TransportError {
            throw error.asListenerError
        }
        return Running(
            server: server,
            identity: identity,
            port: port,
            deltaSources: sources,
            advertisement: try advertise(server, port, identity)
        )
    }

    /// Advertises a server that has just started, and stops it if that fails.
    private func advertise(
        _ server: ListenerServer,
        _ port: UInt16,
        _ identity: TLSIdentity?
    ) throws(DiscoveryError) -> RunningAdvertisement? {
        do {
            return try config.advertisement?.begin(
                port: port,
                database: config.home.name,
                fingerprint: identity?.certs.first?.sha256Fingerprint
            )
        } catch {
            server.stop(.goingAway) {}
            throw error
        }
    }

    /// Ends conflicts in which both sides deleted the document; a database that only serves has no replicator for it.
    private func closeDeletions() {
        do {
            try config.home.openStore().closeDeletions()
        } catch {
            Journal.listener.warning("Cannot resolve conflicts between two deletions: \(error)")
        }
    }

    private func end(forRestart: Bool) {
        let ended = order.withLock {
            running.withLock { running in
                defer { running = nil }
                return running
            }
        }
        guard let ended else { return }
        ended.advertisement?.stop()
        ended.server.stop(forRestart ? .restarting : .goingAway) { [self] in
            config.home.unregister(self)
            runEnd.ended()
            statusChanged()
        }
    }
}

extension URLEndpointListener: DatabaseService {
    func beginStop() { stop() }

    /// Blocks until all connections have ended; not inside a callback of the listener.
    @_spi(Modern) public func waitForStop() { runEnd.wait() }
}

extension TransportError {
    /// A listener reports a missing network interface as an unknown host (`api-map.md` §12).
    fileprivate var asListenerError: any Error {
        switch reason {
        case .unknownInterface, .system(_, errno: Errno.addressNotAvailable.rawValue):
            NSError(CBLError.unknownHost, description, cause: self)
        default:
            self
        }
    }
}
