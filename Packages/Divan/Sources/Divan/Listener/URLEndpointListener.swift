import DivanListener
import DivanStore
import DivanTransport
public import Foundation
import Synchronization

/// Shares collections with replicators of other processes and devices: the passive peer.
///
/// All members may be called from any thread. A started listener stays alive until it is stopped
/// or its database is closed. It never resolves conflicts: it refuses the push that would make
/// one, and the client pulls, resolves and pushes again.
///
/// Source: `behaviour.md` §13.
public final class URLEndpointListener: Sendable {
    /// How many clients are connected.
    public struct ConnectionStatus: Equatable, Sendable {
        /// Open replication connections.
        public let connectionCount: UInt64
        /// Those that were opened, or exchanged documents, within the last half second.
        public let activeConnectionCount: UInt64
    }

    private struct Running {
        let server: ListenerServer
        let identity: TLSIdentity?
        let port: UInt16
        /// Keeps old bodies for clients that come back later.
        let deltaSources: DeltaSourceHold?
    }

    /// All of this process, for the metrics.
    static let living = WeakList<URLEndpointListener>()

    /// A copy of the configuration that the listener was made with.
    public let config: URLEndpointListenerConfiguration

    private let running = Mutex<Running?>(nil)
    /// Held from the beginning of a start to its end, so that who stops or closes finds what was started.
    ///
    /// Recursive, as a start writes to the log, and a log sink of the application's may use the listener.
    private let order = NSRecursiveLock()
    /// Whether the thread that holds `order` is starting it.
    private let isStarting = Atomic(false)
    private let runEnd = ServiceEnd()

    /// Creates a listener; it does nothing until it is started.
    public init(config: URLEndpointListenerConfiguration) {
        self.config = config
        Self.living.add(self)
    }

    /// Begins to listen; does nothing while it listens already.
    ///
    /// - Throws: `EADDRINUSE` in `NSPOSIXErrorDomain` when the port is taken, `unknownHost`
    ///   (5002) for an interface that does not exist, `crypto` (22) when the identity cannot be
    ///   made or read, `invalidParameter` (9) for a certificate authenticator without TLS, and
    ///   `notOpen` (6) when the database is closed or a collection was deleted;
    ///   `transactionNotClosed` (18) inside `inBatch`, where what deltas are made of has to be noted.
    public func start() throws {
        try translatingErrors {
            guard port == nil else { return }
            // Before the lock: this waits for a batch, and the batch may stop the listener.
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

    /// Ends to listen, and closes every connection in order; ignored while it does not listen.
    ///
    /// Clients are told "going away", and stop with 11001.
    public func stop() {
        end(forRestart: false)
    }

    /// Ends to listen, and tells the clients that it will be back.
    ///
    /// They try again later, as after a lost connection. An addition to the official API.
    public func stopForRestart() {
        end(forRestart: true)
    }

    /// The port; `nil` unless it listens.
    public var port: UInt16? { running.withLock { $0?.port } }

    /// What the listener proves itself with; `nil` unless it listens, and without TLS.
    public var tlsIdentity: TLSIdentity? { running.withLock { $0?.identity } }

    /// The addresses at which clients reach this listener, one for each address of the machine
    /// and one for its name; `nil` unless it listens.
    ///
    /// The database's name is percent-encoded, a slash in it too. A link-local address carries the
    /// zone of this machine; a client on another one puts its own there.
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

    /// How many clients are connected; zero unless it listens.
    public var status: ConnectionStatus {
        let status = server?.status
        return ConnectionStatus(
            connectionCount: UInt64(status?.connectionCount ?? 0),
            activeConnectionCount: UInt64(status?.activeConnectionCount ?? 0)
        )
    }

    /// Deletes the self-signed identities that listeners without one have made, of all databases.
    ///
    /// Clients that pinned one refuse the listener from its next start on.
    ///
    /// - Throws: `crypto` (22) when a file cannot be removed.
    public static func deleteAnonymousIdentities() throws {
        try translatingErrors { try AnonymousIdentities.deleteAll() }
    }

    /// The server while it listens.
    var server: ListenerServer? { running.withLock { $0?.server } }

    private func deltaSources() throws -> DeltaSourceHold? {
        let store = try config.home.openStore()
        do {
            if config.enableDeltaSync { return try store.holdDeltaSources() }
            try store.forgetDeltaSources()
            return nil
        } catch {
            // The store's own word would have the caller close what is open.
            try config.home.requireNoBatch("begin to listen")
            throw error
        }
    }

    private func listen(holding sources: DeltaSourceHold?) throws -> Running {
        let identity = try config.usedIdentity()
        let server = ListenerServer(try config.serverConfiguration(identity: identity))
        do {
            return Running(
                server: server,
                identity: identity,
                port: try server.start(),
                deltaSources: sources
            )
        } catch let error as TransportError {
            throw error.asListenerError
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
        ended.server.stop(forRestart ? .restarting : .goingAway) { [self] in
            config.home.unregister(self)
            runEnd.ended()
        }
    }
}

extension URLEndpointListener: DatabaseService {
    func beginStop() { stop() }

    func waitForStop() { runEnd.wait(closing: config.home.name) }
}

extension TransportError {
    /// A listener reports an interface that is not here as an unknown host (`api-map.md` §12).
    fileprivate var asListenerError: any Error {
        switch reason {
        case .unknownInterface, .system(_, errno: EADDRNOTAVAIL):
            NSError(CBLError.unknownHost, description, cause: self)
        default:
            self
        }
    }
}
