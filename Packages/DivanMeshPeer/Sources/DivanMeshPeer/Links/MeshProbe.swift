public import DivanMesh
import DivanReplicator
public import DivanRevisions
public import DivanTLS
public import DivanTransport
public import DivanWebSocket
import Synchronization

/// Finds out whether a peer would link to this one, without linking.
///
/// It calls the peer as a mesh does, but offers the subprotocols of the other revision scheme. A peer that accepts the
/// certificate, the group and the collections checks these last, and refuses them if it has the same scheme: its mesh
/// does not notice the call, even if a link to this peer is open.
public struct MeshProbe: Sendable {
    /// The result of a call.
    public struct Report: Sendable {
        /// What the peer answered.
        public enum Answer: Sendable {
            /// The group and the revision scheme are the same, and there are collections in common.
            case compatible
            /// The peer has the other revision scheme.
            case otherScheme
            /// The call failed, or the peer refused it, with status 404 for another group and 409 without a common
            /// collection.
            case failed(TransportError)
        }

        /// What the peer answered.
        public var answer: Answer
        /// The peer's certificates, its own first, even if they were rejected.
        public var certificates: [TLSCertificate]
        /// The header fields of the answer; `Date` is the peer's time.
        public var headers: HTTPHeaders

        /// Describes a result.
        public init(
            _ answer: Answer,
            certificates: [TLSCertificate] = [],
            headers: HTTPHeaders = [:]
        ) {
            self.answer = answer
            self.certificates = certificates
            self.headers = headers
        }
    }

    private let configuration: MeshPeerConfiguration
    private let scheme: RevisionScheme
    private let timeout: Duration

    /// Prepares calls with the identity, the trust, the group and the collections of a peer.
    ///
    /// - Parameters:
    ///   - configuration: The peer's own configuration; discovery and seeds are not used.
    ///   - scheme: The revision scheme of the peer's database.
    ///   - timeout: How long to wait for an answer.
    public init(
        _ configuration: MeshPeerConfiguration,
        scheme: RevisionScheme,
        timeout: Duration
    ) {
        self.configuration = configuration
        self.scheme = scheme
        self.timeout = timeout
    }

    /// Calls a place; `completion` is called once, on a thread of the library.
    ///
    /// - Throws: `TLSError` for an identity that cannot be used.
    public func call(
        _ address: MeshAddress,
        completion: @escaping @Sendable (Report) -> Void
    ) throws(TLSError) {
        guard var settings = try configuration.callSettings(at: address, expecting: nil) else {
            let error = TransportError(.unknownHost("\(address)"), place: "\(address)")
            return completion(Report(.failed(error)))
        }
        settings.subprotocols = Subprotocol.offered(for: scheme == .trees ? .vectors : .trees)
        settings.limits.connectTimeout = timeout
        let transport = WebSocketClientTransport(settings)
        transport.start(MeshProbeReceiver(transport, completion))
    }
}

/// Waits for the answer to one call.
private final class MeshProbeReceiver: MessageReceiver {
    private let transport: WebSocketClientTransport
    private let completion: @Sendable (MeshProbe.Report) -> Void
    private let acceptance = Mutex<HTTPHeaders?>(nil)

    init(
        _ transport: WebSocketClientTransport,
        _ completion: @escaping @Sendable (MeshProbe.Report) -> Void
    ) {
        self.transport = transport
        self.completion = completion
    }

    func transportDidOpen(_ peer: TransportPeer) {
        acceptance.withLock { $0 = peer.headers }
        transport.close(code: LinkEnd.incompatible.rawValue, reason: "")
    }

    func transportDidReceive(_: ArraySlice<UInt8>) {}

    func transportDidDrainInput() {}

    func transportDidBecomeWritable() {}

    func transportDidClose(_ close: TransportClose) {
        let certificates = transport.peerCertificates
        if let headers = acceptance.withLock({ $0 }) {
            return completion(
                MeshProbe.Report(.otherScheme, certificates: certificates, headers: headers)
            )
        }
        guard case .failed(let error) = close else { return }
        guard case .refused(let status, _, let headers) = error.reason else {
            return completion(MeshProbe.Report(.failed(error), certificates: certificates))
        }
        let answer: MeshProbe.Report.Answer =
            if status == 400 {
                .compatible
            } else if LinkHeaders.isRefusalOfMesh(headers) {
                // The mesh itself is asked only after the subprotocols were accepted.
                .otherScheme
            } else {
                .failed(error)
            }
        completion(MeshProbe.Report(answer, certificates: certificates, headers: headers))
    }
}
