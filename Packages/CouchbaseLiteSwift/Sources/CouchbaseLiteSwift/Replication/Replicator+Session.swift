import DivanConflicts
import DivanDatabase
import DivanListener
import DivanLog
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanTLS
import DivanTransport
import DivanWebSocket
import DivanZlib
import Foundation
import Synchronization

extension Replicator {
    /// Creates the session for one run.
    ///
    /// - Throws: Whatever prevents a run from starting: a closed database, a deleted collection, an unusable URL,
    ///   contradictory settings.
    func makeSession(reset: Bool, retryingRefused: Bool) throws -> ActiveSession {
        let database = config.requiredDatabase
        let store = try database.openStore()
        try config.collections.requireOpen()
        try config.compression.check()
        let connector = try makeConnector(for: store)
        var options = engineOptions(remoteIdentity: try config.remoteIdentity(), reset: reset)
        options.retriesRefused = retryingRefused
        let peer = enginePeer(options, connector, store.scheme)
        // Sockets are watched on the loop that the session runs on.
        let loop = EventLoopGroup.shared.next()
        var session = ActiveSession.Configuration(
            peer: peer,
            makeTransport: { [meter] _ in
                let transport = try connector.makeTransport(on: loop, offering: peer.subprotocols)
                meter.begin(transport)
                return transport
            }
        )
        session.retry = connector.retries ? retrySchedule : nil
        session.resolvers = resolvers
        session.credentials = connector.credentials
        session.onStatus = { status in
            self.meter.expect(documents: status.expectedDocumentCount)
            self.publish(Status(status))
        }
        session.onDocuments = { events in self.publish(events) }
        if let errand {
            session.peer = session.peer.fetching(errand.blobs)
            session.onBlob = errand.onEvent
        }
        session.onOpen = { server in
            self.meter.note(codecName: peer.usedCodecName(for: server.subprotocol))
            let correlationID = server.headers[CorrelationID.field] ?? connector.correlationID
            self.note(connector.serverCertificate, correlationID: correlationID)
            if let correlationID { Journal.sync.info("Connected, correlation ID \(correlationID)") }
        }
        session.onClose = { _ in self.note(connector.serverCertificate) }
        return ActiveSession(store: store, configuration: session, loop: loop)
    }

    private func enginePeer(
        _ options: PeerConfiguration.ActiveOptions,
        _ connector: any Connector,
        _ scheme: DivanRevisions.RevisionScheme
    ) -> PeerConfiguration {
        var peer = PeerConfiguration(role: .active(options), codec: config.compression.codec)
        peer.scheme = scheme
        peer.usesDeltas = connector.usesDeltas
        if connector.isInProcess {
            peer.compresses = false
            peer.limits = .inProcess
        } else {
            config.compression.apply(toActive: &peer, suits: connector.compresses)
        }
        return peer
    }

    /// What the engine should replicate.
    func engineOptions(remoteIdentity: String, reset: Bool) -> PeerConfiguration.ActiveOptions {
        var options = PeerConfiguration.ActiveOptions(
            pushes: config.replicatorType != .pull,
            pulls: config.replicatorType != .push,
            isContinuous: config.continuous,
            collections: config.collectionConfigs.compactMap(\.engineOptions),
            remoteIdentity: remoteIdentity
        )
        options.isReset = reset
        options.purgesRevoked = config.enableAutoPurge
        options.blobs = config.blobs.policy
        options.fields = config.fieldCiphers
        return options
    }

    private func makeConnector(for store: Store) throws -> any Connector {
        switch config.target {
        case let endpoint as URLEndpoint:
            try URLConnector(endpoint, configuration: config, store: store)
        case let endpoint as DatabaseEndpoint:
            try DatabaseConnector(endpoint, store: store)
        case let endpoint as MessageEndpoint:
            MessageConnector(endpoint: endpoint)
        case let endpoint as TransportEndpoint:
            TransportConnector(endpoint: endpoint)
        case let endpoint as DiscoveredEndpoint:
            try DiscoveredConnector(endpoint, configuration: config, store: store)
        default:
            throw ReplicationFailure.unknownEndpoint("\(type(of: config.target))")
        }
    }

    private var retrySchedule: RetrySchedule {
        RetrySchedule(
            attemptCount: Int(clamping: config.maxAttemptsInForce),
            longestWait: .bounded(seconds: config.maxAttemptWaitTimeInForce),
            isContinuous: config.continuous
        )
    }

    private var resolvers: [CollectionPath: any DivanConflicts.ConflictResolver] {
        var resolvers: [CollectionPath: any DivanConflicts.ConflictResolver] = [:]
        for entry in config.collectionConfigs {
            guard let collection = entry.collection, let resolver = entry.conflictResolver else {
                continue
            }
            // Bundled and adapted rules need no documents: the session applies them to the leaves.
            if let adapted = resolver as? AdaptedConflictResolver {
                resolvers[collection.path] = adapted.resolver
                continue
            }
            if let bundled = resolver as? BundledConflictResolver {
                resolvers[collection.path] = bundled.engineRule
                continue
            }
            resolvers[collection.path] = DocumentResolver(
                resolver: resolver,
                collection: collection
            )
        }
        return resolvers
    }

    private func note(_ certificate: DivanTLS.TLSCertificate?, correlationID: String? = nil) {
        state.withLock { state in
            if let certificate { state.serverCertificate = TLSCertificate(certificate) }
            if let correlationID { state.correlationID = correlationID }
        }
    }

    private func publish(_ events: [DocumentEvent]) {
        meter.count(events)
        guard !documentListeners.isEmpty else { return }
        for (isPush, documents) in ReplicatedDocument.grouped(events) {
            publish(documents, isPush: isPush)
        }
    }
}

extension CollectionConfiguration {
    /// The engine's form of this configuration.
    fileprivate var engineOptions: PeerConfiguration.CollectionOptions? {
        guard let collection else { return nil }
        var options = PeerConfiguration.CollectionOptions(collection.path)
        options.filterName = filterName
        options.channels = channels ?? []
        options.documentIDs = (documentIDs ?? []).map { StoredID(unchecked: $0) }
        options.pushFilter = pushFilter.map { collection.engineFilter($0) }
        options.pullFilter = pullFilter.map { collection.engineFilter($0) }
        return options
    }
}

extension Replicator.Status {
    /// The public form of the status of a session, or of a passive peer's connection.
    init(_ status: SyncStatus) {
        let activity: Replicator.ActivityLevel =
            switch status.activity {
            case .stopped: .stopped
            case .offline: .offline
            case .connecting: .connecting
            case .idle: .idle
            case .busy: .busy
            }
        self.init(
            activity: activity,
            progress: Replicator.Progress(
                completed: status.completedUnitCount,
                total: status.totalUnitCount
            ),
            obstacle: status.error.map { NSError(from: $0) }
        )
        stall = status.stall?.description
        needsCredentials = status.needsCredentials
        retryDate = status.retryDelay.map { delay in
            let (seconds, attoseconds) = delay.components
            return Date(timeIntervalSinceNow: Double(seconds) + Double(attoseconds) / 1e18)
        }
    }
}

extension ReplicatedDocument {
    /// The outcomes by direction, without empty groups; pushed documents first.
    static func grouped(
        _ events: [DocumentEvent]
    ) -> [(isPush: Bool, documents: [ReplicatedDocument])] {
        [true, false].compactMap { isPush in
            let documents = events.filter { $0.isPush == isPush }.map { ReplicatedDocument($0) }
            return documents.isEmpty ? nil : (isPush, documents)
        }
    }

    fileprivate init(_ event: DocumentEvent) {
        self.init(
            id: event.documentID.text,
            flags: DocumentFlags(rawValue: Int(event.flags.rawValue)),
            error: event.error.map { NSError(from: $0) },
            scope: event.collection.scope,
            collection: event.collection.name
        )
    }
}

extension ReplicatorConfiguration {
    /// The key under which the state of the target is stored.
    func remoteIdentity() throws -> String {
        switch target {
        case let endpoint as URLEndpoint:
            try WebSocketURL(endpoint.url.absoluteString).effectiveText
        case let endpoint as DatabaseEndpoint:
            endpoint.remoteIdentity
        case let endpoint as MessageEndpoint:
            endpoint.uid
        case let endpoint as TransportEndpoint:
            endpoint.uid
        case let endpoint as DiscoveredEndpoint:
            endpoint.remoteIdentity
        default:
            throw ReplicationFailure.unknownEndpoint("\(type(of: target))")
        }
    }
}
