@_spi(Modern) internal import CouchbaseLiteSwift
internal import Dispatch
public import DivanTransport
public import Foundation
internal import Synchronization

/// Shares collections of a database with peers, which sync with it.
///
/// ```swift
/// let listener = try await Listener.start(
///     sharing: db,
///     port: 4984,
///     users: .passwords { name, password in await accounts.check(name, password) }
/// )
/// print(listener.urls)
/// await listener.stop()
/// ```
///
/// A listener stays alive without references to it until it is stopped or its database is closed. It never resolves
/// conflicts: a client pulls, resolves and pushes again. Can be used from any thread.
public final class Listener: Sendable {
    let database: Database
    let server: URLEndpointListener?
    private let transports: TransportListener
    private let options: Options
    private let bridge: CallbackBridge
    private let changes: Broadcast<Status>
    private let isStopped = Mutex(false)
    /// Where the ends of connections are waited for.
    private static let stopQueue = DispatchQueue(
        label: "divan.listener.stop",
        attributes: .concurrent
    )

    /// Starts sharing collections.
    ///
    /// Blocks while the port is opened and, the first time, an identity is created (a tenth of a second).
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - collections: The collections to share; `nil` means all that the database has now.
    ///   - port: The port; 0 selects a free one, and `nil` opens none: use ``accept(_:)``.
    ///   - users: Which clients are accepted.
    ///   - identity: The identity for TLS; with `nil`, a self-signed one is created once and stored for the database. A
    ///     database in memory gets a new one each time.
    ///   - isReadOnly: Whether clients can only pull.
    ///   - access: What each client can access; `nil` means everything that is shared. Called for each connection after
    ///     the client was accepted; the client waits up to 15 seconds, then it is refused.
    ///   - options: Everything else.
    /// - Returns: The listener, which accepts clients.
    /// - Throws: ``DivanError/Code/busy`` if the port is in use, ``DivanError/Code/unreachable`` for an interface that
    ///   does not exist, ``DivanError/Code/invalidIdentity`` if the identity cannot be created or read,
    ///   ``DivanError/Code/invalidArgument`` for settings that contradict each other, and ``DivanError/Code/notOpen`` if
    ///   the database is closed or a collection was deleted.
    public static func start(
        sharing database: Database,
        collections: [DocumentCollection]? = nil,
        port: UInt16? = 0,
        users: Users = .anyone,
        identity: Identity? = nil,
        isReadOnly: Bool = false,
        access: (@Sendable (Client) async -> Access)? = nil,
        options: Options = Options()
    ) throws -> Listener {
        let settings = ListenerSettings(
            database: database,
            collections: collections,
            port: port,
            users: users,
            identity: identity,
            isReadOnly: isReadOnly,
            access: access,
            options: options
        )
        return try DivanError.converting(place: settings.place) { try Listener(settings) }
    }

    /// Starts sharing collections, without blocking a thread of the cooperative pool.
    ///
    /// The parameters and errors are those of the plain form.
    public static func start(
        sharing database: Database,
        collections: [DocumentCollection]? = nil,
        port: UInt16? = 0,
        users: Users = .anyone,
        identity: Identity? = nil,
        isReadOnly: Bool = false,
        access: (@Sendable (Client) async -> Access)? = nil,
        options: Options = Options()
    ) async throws -> Listener {
        let settings = ListenerSettings(
            database: database,
            collections: collections,
            port: port,
            users: users,
            identity: identity,
            isReadOnly: isReadOnly,
            access: access,
            options: options
        )
        return try await Background.placing(settings.place) { try Listener(settings) }
    }

    private init(_ settings: ListenerSettings) throws {
        let bridge = CallbackBridge()
        let changes = Broadcast<Status>()
        let collections = try settings.currentCollections()
        database = settings.database
        options = settings.options
        var shared = TransportListenerConfiguration(collections: collections.map(\.official))
        shared.readOnly = settings.isReadOnly
        shared.compression = settings.options.compression.official
        transports = TransportListener(config: shared)
        self.bridge = bridge
        self.changes = changes
        guard let port = settings.port else {
            server = nil
            return
        }
        let made = URLEndpointListener(
            config: try settings.configuration(of: collections, port: port, bridge: bridge)
        )
        server = made
        made.onStatusChange { [weak made, changes] in
            guard let made else { return }
            changes.send(Status(made))
            if made.port == nil { changes.finish() }
        }
        try made.start()
    }
}

// MARK: - The running listener

extension Listener {
    /// The number of clients.
    public struct Status: Sendable, Equatable {
        /// Whether the listener accepts connections on its port.
        public let isListening: Bool
        /// Open connections.
        public let connectionCount: Int
        /// Connections that were opened, or exchanged documents, within the last half second.
        public let activeConnectionCount: Int

        init(_ server: URLEndpointListener?) {
            isListening = server?.port != nil
            let status = server?.status
            connectionCount = Int(clamping: status?.connectionCount ?? 0)
            activeConnectionCount = Int(clamping: status?.activeConnectionCount ?? 0)
        }
    }

    /// The port; `nil` after it was stopped, and without a port.
    public var port: UInt16? { server?.port }

    /// The URLs for clients: one for each address of the machine, and one for its host name; empty when stopped.
    public var urls: [URL] { server?.urls ?? [] }

    /// The URL for clients on this machine; `nil` when stopped, or if the listener only uses another interface.
    public var localURL: URL? {
        urls.first { $0.host == "127.0.0.1" } ?? urls.first { $0.host == "::1" }
    }

    /// The certificate that clients can pin; `nil` without TLS, and when stopped.
    public var certificate: Certificate? {
        server?.tlsIdentity?.certs.first.map { Certificate($0.certificate) }
    }

    /// The name under which the listener is advertised; `nil` if it is not, or not yet.
    ///
    /// It differs from the requested name if that was in use.
    public var advertisedName: String? { server?.advertisedName }

    /// The number of clients now.
    public var status: Status { Status(server) }

    /// The number of clients, and again when a client connects or disconnects; ends when the listener has stopped.
    public var statuses: Updates<Status, Never> {
        changes.updates { [server] in
            [Status(server)]
        } hasEnded: { [server] in
            !Status(server).isListening
        }
    }

    /// Stops the listener, and returns when all connections are closed; does nothing if it was stopped before.
    ///
    /// Called from a callback of the listener, it does not wait.
    ///
    /// - Parameter reconnecting: Whether clients should connect again, as to a server that restarts; otherwise they
    ///   stop.
    public func stop(reconnecting: Bool = false) async {
        beginStop(reconnecting)
        guard !CallbackBridge.isRunning else { return }
        let (server, transports) = (server, transports)
        await withCheckedContinuation { continuation in
            Self.stopQueue.async {
                server?.waitForStop()
                transports.waitForStop()
                continuation.resume()
            }
        }
    }

    /// Stops the listener in the background.
    ///
    /// - Parameter reconnecting: Whether clients should connect again; otherwise they stop.
    public func stop(reconnecting: Bool = false) {
        beginStop(reconnecting)
    }

    private func beginStop(_ reconnecting: Bool) {
        isStopped.withLock { $0 = true }
        if reconnecting { server?.stopForRestart() } else { server?.stop() }
        transports.closeAll()
        bridge.cancelAll()
    }

    /// Serves a transport of the application until it closes, such as the other end of
    /// ``Sync/Target/transport(id:_:)``.
    ///
    /// The application authenticates the other side: users and access of the listener do not apply.
    ///
    /// - Throws: ``DivanError/Code/notOpen`` if the listener was stopped, the database is closed or a collection was
    ///   deleted; the transport is not started then.
    public func accept(_ transport: any MessageTransport) throws {
        guard !isStopped.withLock({ $0 }) else {
            throw DivanError(
                .notOpen,
                place: "listener of \(database.name)",
                problem: "the listener was stopped",
                remedy: "start another one"
            )
        }
        try DivanError.converting(place: "listener of \(database.name)") {
            try transports.accept(transport)
        }
    }
}

extension Listener: CustomStringConvertible {
    /// The database and the port.
    public var description: String {
        "listener of \(database.name), \(port.map { "port \($0)" } ?? "no port")"
    }
}
