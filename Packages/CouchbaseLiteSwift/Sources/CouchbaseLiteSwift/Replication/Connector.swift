import DivanCrypto
import DivanDatabase
import DivanListener
import DivanReplicator
import DivanSession
import DivanTLS
import DivanTransport
import DivanZlib
import Synchronization

/// How a replicator reaches its target: one connector for each kind of endpoint.
protocol Connector: Sendable {
    /// Whether the target lives in this process: then nothing is ever compressed.
    var isInProcess: Bool { get }
    /// Whether compressing messages is worthwhile on this connection.
    var compresses: Bool { get }
    /// Whether deltas are worthwhile on this connection.
    var usesDeltas: Bool { get }
    /// Whether a lost connection may come back.
    var retries: Bool { get }

    /// A local peer's ID for the latest attempt; a server sends its ID in its response.
    var correlationID: String? { get }

    /// The source of credentials that must be fetched.
    var credentials: CredentialSource? { get }

    /// The certificate that the peer showed in the latest attempt, accepted or not.
    var serverCertificate: DivanTLS.TLSCertificate? { get }

    /// Creates the transport for one attempt, which offers these subprotocols.
    func makeTransport(
        on loop: EpollLoop,
        offering subprotocols: [String]
    ) throws -> any MessageTransport
}

extension Connector {
    var correlationID: String? { nil }
    var credentials: CredentialSource? { nil }
}

/// Reaches a database of this process: a pair of transports in memory.
///
/// Source: `behaviour.md` §12 (no deltas, no retries).
final class DatabaseConnector: Connector, DatabaseService {
    let isInProcess = true
    let compresses = false
    let usesDeltas = false
    let retries = false
    let serverCertificate: DivanTLS.TLSCertificate? = nil

    /// Room for every revision that may be in transit: neither end waits for the other to read.
    private static let limits = TransportLimits(
        highWaterByteCount: 2 << 20,
        lowWaterByteCount: 1 << 20
    )

    private let target: Database
    private let store: Store
    private let session = Mutex<PassiveSession?>(nil)
    private let latestID = Mutex<String?>(nil)
    private let end = ServiceEnd()

    init(_ endpoint: DatabaseEndpoint, store source: Store) throws {
        target = endpoint.database
        store = try target.openStore()
        guard store !== source else { throw ReplicationFailure.sameDatabase(name: target.name) }
    }

    var correlationID: String? { latestID.withLock { $0 } }

    func makeTransport(
        on loop: EpollLoop,
        offering subprotocols: [String]
    ) throws -> any MessageTransport {
        latestID.withLock { $0 = CorrelationID.make() }
        let pair = InProcessPair(
            subprotocol: Subprotocol.offered(for: store.scheme)[0],
            firstLoop: loop,
            secondLoop: EventLoopGroup.shared.next(besides: loop),
            limits: Self.limits
        )
        var peer = PeerConfiguration(
            role: .passive(.init(collections: try store.collections())),
            codec: DeflateCodec()
        )
        peer.scheme = store.scheme
        peer.compresses = false
        peer.limits = .inProcess
        let passive = PassiveSession(
            store: store,
            peer: peer,
            transport: pair.second,
            observers: PassiveSession.Observers(onEnd: { _ in
                self.session.withLock { $0 = nil }
                self.target.unregister(self)
                self.end.ended()
            })
        )
        // Under the lock, so that closing the target finds the session and waits for it.
        try session.withLock { session in
            try target.register(self)
            end.began()
            session = passive
        }
        passive.start()
        return pair.first
    }

    func beginStop() { session.withLock { $0 }?.close(code: 1001) }

    func waitForStop() { end.wait() }
}

extension DatabaseEndpoint {
    /// The key of checkpoints and remote ancestors: it survives a move of the file, and a copy has a different one.
    var remoteIdentity: String {
        let uuid = database.store.publicUUID
        return "x-divan-database:" + Hex.encode(uuid.span)
    }
}
