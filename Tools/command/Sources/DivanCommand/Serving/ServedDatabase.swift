@_spi(Status) @_spi(Stores) import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanDiscovery
import DivanJSON
import DivanPlatform
import DivanStatus
import Foundation
import Synchronization

/// One database with its listener.
final class ServedDatabase: Sendable {
    let path: DatabasePath
    let listener: URLEndpointListener
    private let database: Database
    private let statusDirectory: StatusDirectory
    private let report: ListenerReport
    private let holder: Holder?
    private let conflictCount = Mutex(ConflictCount())

    /// Opens the database; peers cannot connect yet.
    ///
    /// `onClient` is called for each accepted client, before its first message; `onRefusal` for each refused
    /// request.
    init(
        _ path: DatabasePath,
        port: UInt16,
        arguments: Arguments,
        gate: PeerAccess,
        identity: TLSIdentity?,
        onClient: @escaping @Sendable (DatabasePath, ListenerClient) -> Void,
        onRefusal: @escaping @Sendable (DatabasePath, ListenerRefusal) -> Void,
        audit: ServeAudit? = nil
    ) throws {
        self.path = path
        statusDirectory = StatusDirectory(bundle: path.bundle, namesDocuments: !path.isSealed)
        database = try path.openDatabase(fullSync: arguments.has("--full-sync"))
        holder = Holder(path, as: "divan serve")
        let wanted = try arguments.collections()
        let collections = try database.collections(named: wanted)
        guard !collections.isEmpty else {
            throw Failure(kind: .notFound, sentence: "\(path.name) has no collections to share")
        }
        var config = URLEndpointListenerConfiguration(collections: collections)
        config.port = port
        config.tlsIdentity = identity
        config.authenticator = gate.authenticator
        try Settings(arguments).apply(to: &config)
        config.access = { client in
            onClient(path, client)
            return gate.access(of: client, to: collections)
        }
        config.onRefusal = { onRefusal(path, $0) }
        config.observer = audit?.observer(of: path)
        listener = URLEndpointListener(config: config)
        report = ListenerReport(listener)
    }

    /// The options that all listeners share.
    struct Settings {
        private let arguments: Arguments
        private let compression: ReplicationCompression?
        private let heartbeat: Int?
        private let connectionCount: Int?
        private let addressConnectionCount: Int?

        /// Reads the options.
        ///
        /// - Throws: `Failure` for an invalid value.
        init(_ arguments: Arguments) throws {
            self.arguments = arguments
            compression = try CompressionChoice.read(arguments)
            heartbeat = try arguments.number("--heartbeat", in: 2...86_400)
            connectionCount = try arguments.number("--max-connections", in: 1...1_000_000)
            addressConnectionCount = try arguments.number("--max-per-address", in: 1...1_000_000)
            _ = try arguments.trustedProxies()
            _ = try arguments.collections()
        }

        func apply(to config: inout URLEndpointListenerConfiguration) {
            config.networkInterface = arguments.value("--interface")
            config.disableTLS = arguments.has("--no-tls")
            config.readOnly = arguments.has("--read-only")
            config.enableDeltaSync = arguments.has("--delta")
            if let compression { config.compression = compression }
            if let heartbeat { config.heartbeat = Double(heartbeat) }
            if let connectionCount { config.limits.connectionCount = connectionCount }
            if let addressConnectionCount {
                config.limits.addressConnectionCount = addressConnectionCount
            }
            config.trustedProxies = arguments.list("--trusted-proxy")
        }
    }

    /// Lets peers connect.
    ///
    /// - Throws: `Failure` for an interface that does not exist, because the API's code for it is that of an unknown
    ///   host. Otherwise the listener's error.
    func start() throws {
        do {
            try listener.start()
            RunningListeners.add(listener, of: path)
        } catch {
            guard let known = (error as Any) as? NSError, known.domain == CBLError.domain,
                known.code == CBLError.unknownHost
            else { throw error }
            var failure = Failure(kind: .unreachable, text: known.localizedDescription)
            failure.code = CBLError.unknownInterface
            throw failure
        }
    }

    /// The certificate that the listener presents.
    var certificate: SecCertificate? { listener.tlsIdentity?.certs.first }

    /// Closes the connections of peers whose rights have changed, within a second.
    func dropOutdated() { listener.disconnectOutdated() }

    /// Presents another identity, and authenticates by other certificates, for peers that connect from now on.
    func replace(identity: TLSIdentity?, _ gate: PeerAccess) throws -> ListenerGate {
        let authenticator = gate.certificates?.authenticator ?? gate.authenticator
        return try listener.replace(identity: identity, authenticator: authenticator)
    }

    /// Advertises the listener under a name, until the activity is released.
    ///
    /// - Throws: `DiscoveryError`.
    func advertise(
        as name: String,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws -> any DiscoveryActivity {
        var attributes = ["database": path.name, "scheme": certificate == nil ? "ws" : "wss"]
        attributes["fingerprint"] = certificate?.sha256Fingerprint
        let advertisement = try PeerAdvertisement(
            name: name,
            port: listener.port ?? 0,
            attributes: attributes
        )
        return try AvahiDiscovery().advertise(advertisement, onEvent: onEvent)
    }

    /// Polls its state, on one thread at a time, and publishes it to other processes of this machine.
    func look() -> ListenerReport.Reading {
        let reading = report.read()
        var status = reading.members
        status["program"] = "divan"
        status["database"] = .string(path.name)
        statusDirectory.publish(status)
        return reading
    }

    /// The size and contents of the files; `nil` for what cannot be read.
    struct FileFigures {
        var databaseByteCount: Int?
        var logByteCount: Int?
        var documentCount: Int?
        var conflictCount: Int?
        var freeByteCount: Int?
    }

    /// The number of conflicts, and when it may be counted again.
    private struct ConflictCount {
        var count: Int?
        var next = ContinuousClock.now
    }

    /// Reads the figures; conflicts are counted for at most a hundredth of the time.
    func fileFigures() -> FileFigures {
        let files = path.fileStatus
        var figures = FileFigures(
            databaseByteCount: files[0]?.byteCount,
            logByteCount: files[1]?.byteCount ?? 0,
            freeByteCount: (try? FileSystem.space(at: path.bundle))?.free
        )
        try? database.openStore().read { reader in
            let collections = try reader.collections()
            figures.documentCount = try collections.reduce(0) { try $0 + reader.count(in: $1) }
            let begin = ContinuousClock.now
            guard begin >= conflictCount.withLock({ $0.next }) else { return }
            let count = try collections.reduce(0) { try $0 + reader.conflicts(in: $1).count }
            let end = ContinuousClock.now
            conflictCount.withLock { ($0.count, $0.next) = (count, end + (end - begin) * 100) }
        }
        figures.conflictCount = conflictCount.withLock { $0.count }
        return figures
    }

    /// The addresses at which it can be reached.
    var urls: [String] { (listener.urls ?? []).map(\.absoluteString) }

    /// Stops it; peers reconnect if it is `forRestart`.
    func stop(forRestart: Bool) {
        RunningListeners.remove(listener)
        if forRestart { listener.stopForRestart() } else { listener.stop() }
        statusDirectory.withdraw()
        holder?.stop()
        try? database.close()
    }
}
