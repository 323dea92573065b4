import DivanCommandLine
import DivanMesh
import DivanMeshPeer
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

/// Explains the answer of another peer of the mesh.
struct MeshPeerFindings {
    /// Host and port.
    let place: String
    let group: String
    let ownID: MeshPeerID
    let patience: Int

    func findings(of report: MeshProbe.Report) -> [Finding] {
        let clock = ClockFinding(report.headers)
        return (clock.skewSentence == nil ? [] : [clock.finding]) + [answer(of: report)]
    }

    private func answer(of report: MeshProbe.Report) -> Finding {
        switch report.answer {
        case .compatible:
            guard let leaf = report.certificates.first else {
                return .ok("peer", "\(place) accepts this peer")
            }
            guard MeshPeerID(leaf) != ownID else {
                return .warning(
                    "peer",
                    "\(place) is this peer itself",
                    "use the address of another peer"
                )
            }
            return .ok("peer", "\(place) accepts this peer; its certificate is of \(leaf.subject)")
        case .otherScheme: return .otherScheme(place)
        case .failed(let error): return finding(of: error)
        }
    }

    private func finding(of error: TransportError) -> Finding {
        switch error.reason {
        case .tls(let error): finding(of: error)
        case .refused(404, _, _):
            .failed(
                "group",
                "\(place) is not in the group \(group)",
                "use the same GROUP on all peers; names are case-sensitive",
                .notFound
            )
        case .refused(409, _, _):
            .failed(
                "collections",
                "\(place) has no collection in common with this database",
                "compare 'divan collections' of the databases, and '--collections'",
                .notFound
            )
        case .refused(let status, let explanation, _) where status >= 500:
            .warning(
                "peer",
                "\(place) is busy: \(Finding.answer(status, explanation))",
                "try again later"
            )
        case .refused(let status, let explanation, _):
            .failed(
                "peer",
                "\(place) is not a peer of a mesh: \(Finding.answer(status, explanation))",
                "use the port that 'divan mesh join' prints on that machine",
                .unreachable
            )
        default: other(error)
        }
    }

    private func finding(of error: TLSError) -> Finding {
        switch error.reason {
        case .certificate(.unknownRoot(let issuer)):
            .failed(
                "certificate",
                "the certificate of \(place) is signed by an unknown authority: \(issuer)",
                "add this authority's certificate with '--peer-ca'",
                .refused
            )
        case .certificate(let problem):
            .failed(
                "certificate",
                "the certificate of \(place) is not accepted: \(problem)",
                "check the clocks of both machines ('timedatectl'); run 'divan certs show \(place)'",
                .refused
            )
        case .certificateRefused, .clientCertificateRequired:
            .failed(
                "certificate",
                "\(place) does not accept this peer's certificate",
                "add this peer's authority to '--peer-ca' on that machine, and check its clock",
                .refused
            )
        case .plaintextHTTP, .notTLS:
            .failed(
                "tls",
                "\(place) is not a peer of a mesh: it does not use TLS",
                "use the port that 'divan mesh join' prints on that machine",
                .unreachable
            )
        default:
            .failed("tls", "\(place): \(error)", "check the log of that peer", .unreachable)
        }
    }

    /// Failures that do not concern the mesh, explained as for any server.
    private func other(_ error: TransportError) -> Finding {
        guard let endpoint = try? WebSocketEndpoint("wss://\(place)/") else {
            return .failed("peer", "\(error)", "check the address", .unreachable)
        }
        var report = ProtocolProbe.Report()
        report.close = .failed(error)
        let findings = ConnectionFindings(
            endpoint: endpoint,
            isProxied: false,
            shown: nil,
            patience: patience
        )
        return findings.finding(of: report)
    }
}
