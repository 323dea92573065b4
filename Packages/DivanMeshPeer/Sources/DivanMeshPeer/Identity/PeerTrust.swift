public import DivanMesh
public import DivanTLS
import FoundationEssentials
import Synchronization

/// Which certificates are accepted, from callers and from called peers.
///
/// A certificate that is not valid at the time is never accepted. Host names are not checked: a peer's identity is its
/// certificate, whose digest is its ID.
public enum PeerTrust: Sendable {
    /// Accepts certificates that chain to one of these roots; a root may be a peer's certificate itself.
    case roots([TLSCertificate])
    /// Calls the application with the peer's ID and its certificates, its own first.
    ///
    /// Called during handshakes, on threads that also serve other peers: it must return quickly.
    case callback(@Sendable (MeshPeerID, [TLSCertificate]) -> Bool)
}

extension PeerTrust {
    /// How a called peer is verified; `expected` must be its ID, unless it is `nil`.
    func serverTrust(expecting expected: MeshPeerID?) -> ServerTrust {
        switch self {
        case .roots(let roots):
            .peers(roots: roots) { chain in
                expected == nil || expected == chain.first.map(MeshPeerID.init)
            }
        case .callback(let accepts):
            .callback { chain in
                guard let leaf = chain.first, leaf.isValid(at: Date()) else { return false }
                let peer = MeshPeerID(leaf)
                return (expected ?? peer) == peer && accepts(peer, chain)
            }
        }
    }

    /// Which certificates callers must present.
    var clientPolicy: ClientCertificatePolicy {
        switch self {
        case .roots(let roots): .roots(roots)
        case .callback(let accepts):
            .callback { chain in
                guard let leaf = chain.first, leaf.isValid(at: Date()) else { return false }
                return accepts(MeshPeerID(leaf), chain)
            }
        }
    }
}

extension MeshPeerID {
    /// The ID of the owner of a certificate.
    public init(_ certificate: TLSCertificate) {
        self.init(certificate: certificate.derBytes.span)
    }
}
