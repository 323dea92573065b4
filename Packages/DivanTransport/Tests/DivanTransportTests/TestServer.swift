import DivanCrypto
import DivanLog
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation
import Synchronization

/// A server on a free local port that accepts every upgrade.
final class TestServer: Sendable {
    let server: WebSocketServer
    let port: UInt16

    /// Counts the upgrade requests.
    private let requests = Recorder()

    /// Every connection so far, with its receiver.
    let connections: Connections

    final class Connections: Sendable {
        private let list = Mutex<[(WebSocketServerTransport, Recorder)]>([])

        var all: [(transport: WebSocketServerTransport, recorder: Recorder)] {
            list.withLock { $0.map { (transport: $0.0, recorder: $0.1) } }
        }

        func add(_ transport: WebSocketServerTransport, _ recorder: Recorder) {
            list.withLock { $0.append((transport, recorder)) }
        }
    }

    /// Starts to listen; each message is echoed, or is kept if `echoes` is false.
    ///
    /// A request for which `decide` returns false is left to it. With `starts` false an accepted transport is never
    /// started.
    init(
        tls: TLSContext? = nil,
        interface: String? = "127.0.0.1",
        port: UInt16 = 0,
        echoes: Bool = true,
        starts: Bool = true,
        limits: TransportLimits = TransportLimits(),
        webSocket: WebSocketConnection.Configuration = .init(),
        decide: (@Sendable (UpgradeRequest) -> Bool)? = nil
    ) throws {
        let connections = Connections()
        self.connections = connections
        let requests = requests
        let configuration = WebSocketServer.Configuration(
            networkInterface: interface,
            port: port,
            tls: tls,
            webSocket: webSocket,
            limits: limits
        )
        server = WebSocketServer(configuration, log: quiet) { request in
            requests.transportDidReceive([])
            if let decide, !decide(request) { return }
            request.accept(subprotocol: request.handshake.subprotocols.first) { transport in
                let recorder = Recorder(
                    keepsMessages: !echoes,
                    onMessage: { message in if echoes { transport.send(message.span) } }
                )
                connections.add(transport, recorder)
                if starts { transport.start(recorder) }
            }
        }
        self.port = try server.start()
    }

    /// Returns once an upgrade request has arrived.
    func asked() async {
        await requests.wait { $0.messageCount > 0 }
    }

    deinit {
        server.stop()
    }

    /// Stops and waits for the end of every connection.
    func stop(code: UInt16 = 1001, reason: String = "") async {
        await withCheckedContinuation { continuation in
            server.stop(code: code, reason: reason) { continuation.resume() }
        }
    }
}

/// A log that nobody reads.
let quiet = Log(.webSocket, to: LogRouter())

/// A client for a local server.
func client(
    port: UInt16,
    host: String = "127.0.0.1",
    target: String = "/db/_blipsync",
    subprotocols: [String] = ["BLIP_3+CBMobile_3"],
    headers: @escaping @Sendable (WebSocketEndpoint) -> HTTPHeaders = { _ in [:] },
    tls: TLSContext? = nil,
    interface: String? = nil,
    webSocket: WebSocketConnection.Configuration = .init(),
    limits: TransportLimits = TransportLimits()
) -> WebSocketClientTransport {
    let endpoint = WebSocketEndpoint(isSecure: tls != nil, host: host, port: port, target: target)
    let configuration = WebSocketClientTransport.Configuration(
        endpoint: endpoint,
        subprotocols: subprotocols,
        headers: headers,
        tls: tls,
        networkInterface: interface,
        webSocket: webSocket,
        limits: limits
    )
    return WebSocketClientTransport(configuration, log: quiet)
}

/// An identity for this machine, and the contexts of both ends.
struct TestTLS: Sendable {
    let credential: TLSCredential
    let server: TLSContext
    let client: TLSContext

    init(resumes: Bool = false) throws {
        let template = CertificateTemplate(
            attributes: ["CN": "server"],
            usages: .serverAuth,
            now: Date()
        )
        credential = try TLSCredential.generate(template, key: .p256)
        server = try TLSContext.server(
            ServerTLSConfiguration(credential: credential, resumesSessions: resumes)
        )
        let trust = ServerTrust.pinned(credential.leaf)
        client = try TLSContext.client(
            ClientTLSConfiguration(serverTrust: trust, resumesSessions: resumes)
        )
    }
}

/// Runs `work` on a transport's loop and returns its result.
func onLoop<Value: Sendable>(
    _ transport: any MessageTransport,
    _ work: @escaping @Sendable () -> Value
) async -> Value {
    await withCheckedContinuation { continuation in
        transport.loop.execute { continuation.resume(returning: work()) }
    }
}

/// `count` bytes that vary with their position.
func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31 >> 3) }
}
