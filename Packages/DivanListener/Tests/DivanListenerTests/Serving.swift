import DivanAuth
import DivanCompression
import DivanListener
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import DivanTLS
import DivanTransport
import DivanWebSocket
import DivanZlib

/// A listener on the loopback interface for a store in memory, and clients for it.
final class Serving: Sendable {
    let store = Store.inMemory()
    let server: ListenerServer
    let port: UInt16
    private let isSecure: Bool

    init(_ change: (inout ListenerConfiguration) -> Void = { _ in }) throws {
        let options = PeerConfiguration.PassiveOptions(collections: [.default])
        var configuration = ListenerConfiguration(
            databases: [
                "kitchen": .init(
                    store: store,
                    peer: PeerConfiguration(role: .passive(options), codec: DeflateCodec())
                )
            ]
        )
        configuration.interface = "127.0.0.1"
        change(&configuration)
        isSecure = configuration.credential != nil
        server = ListenerServer(configuration)
        port = try server.start()
    }

    deinit {
        server.stop()
    }

    /// Runs a client once and returns its last status.
    func sync(
        _ client: Store,
        database: String = "kitchen",
        subprotocols: [String]? = nil,
        codecs: [any CompressionCodec] = [],
        credentials: BasicCredentials? = nil
    ) async throws -> SyncStatus? {
        var last: SyncStatus?
        let run = try start(
            client,
            database: database,
            subprotocols: subprotocols,
            codecs: codecs,
            credentials: credentials
        )
        for await status in run.statuses { last = status }
        return last
    }

    /// Starts a client.
    func start(
        _ client: Store,
        database: String = "kitchen",
        subprotocols: [String]? = nil,
        codecs: [any CompressionCodec] = [],
        credentials: BasicCredentials? = nil,
        isContinuous: Bool = false
    ) throws -> (session: ActiveSession, statuses: AsyncStream<SyncStatus>) {
        let scheme = isSecure ? "wss" : "ws"
        let url = try WebSocketURL("\(scheme)://127.0.0.1:\(port)/\(database)")
        let options = PeerConfiguration.ActiveOptions(
            pushes: true,
            pulls: true,
            isContinuous: isContinuous,
            collections: [.init(.default)],
            remoteIdentity: url.effectiveText
        )
        var peer = PeerConfiguration(role: .active(options), codec: DeflateCodec())
        peer.furtherCodecs = codecs
        var transport = WebSocketClientTransport.Configuration(
            endpoint: url.endpoint,
            subprotocols: subprotocols ?? peer.subprotocols
        )
        if let credentials {
            transport.headers = { _ in ["Authorization": credentials.header] }
        }
        if isSecure {
            transport.tls = try TLSContext.client(
                ClientTLSConfiguration(serverTrust: .selfSignedOnly)
            )
        }
        let (statuses, continuation) = AsyncStream.makeStream(of: SyncStatus.self)
        let fixed = transport
        let loop = EventLoopGroup.shared.next()
        var configuration = ActiveSession.Configuration(peer: peer) { _ in
            WebSocketClientTransport(fixed, loop: loop)
        }
        configuration.onStatus = { status in
            continuation.yield(status)
            if status.activity == .stopped { continuation.finish() }
        }
        let session = ActiveSession(store: client, configuration: configuration, loop: loop)
        session.start()
        return (session, statuses)
    }
}

extension Store {
    /// Saves a document with one number in it.
    func put(_ id: DocumentID, _ value: Int) throws {
        _ = try write { writer in
            try writer.save(id, in: .default, body: Array("{\"value\":\(value)}".utf8))
        }
    }

    /// How many documents there are.
    var documentCount: Int {
        get throws { try read { try $0.count(in: .default) } }
    }
}
