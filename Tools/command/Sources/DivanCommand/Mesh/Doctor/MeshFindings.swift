import DivanCommandLine
import DivanDiscovery
import DivanMesh
import DivanMeshPeer
import DivanRevisions
import DivanTLS
import Foundation

/// Whether other peers can accept the certificate of this one.
struct MeshCertificateFinding {
    /// With fewer days left, the certificate should be renewed.
    private static let leastDays = 14

    var subject: String
    /// The issuer of the last certificate that is sent.
    var issuer: String
    var notBefore: Date
    var notAfter: Date
    /// The authorities that this peer accepts; empty if it accepts single certificates.
    var authorities: [String]
    var now: Date

    var finding: Finding {
        let seen = "certificate of \(subject), valid until \(Days.moment(notAfter))"
        guard now >= notBefore else {
            return .failed(
                "certificate",
                "the certificate of \(subject) is not valid before \(Days.moment(notBefore)) "
                    + "(local time: \(Days.moment(now)))",
                "correct this machine's clock ('timedatectl')",
                .refused
            )
        }
        guard now <= notAfter else {
            return .failed(
                "certificate",
                "the certificate of \(subject) expired on \(Days.moment(notAfter)) "
                    + "(local time: \(Days.moment(now)))",
                "run 'divan identity renew LABEL', or correct this machine's clock ('timedatectl')",
                .refused
            )
        }
        guard authorities.isEmpty || authorities.contains(issuer) else {
            let accepted = authorities.joined(separator: ", ")
            return .warning(
                "certificate",
                "\(seen), is signed by \(issuer), but --peer-ca accepts \(accepted)",
                "sign all identities with one authority: 'divan identity new LABEL --issuer CA'"
            )
        }
        let days = Int(notAfter.timeIntervalSince(now) / 86_400)
        guard days >= Self.leastDays else {
            return .warning("certificate", seen, "renew it before it expires")
        }
        return .ok("certificate", seen)
    }
}

extension MeshCertificateFinding {
    /// Reads the certificates of a configuration.
    init(_ configuration: MeshPeerConfiguration, now: Date) {
        let credential = configuration.credential
        subject = credential.leaf.subject
        issuer = credential.certificates.last?.issuer ?? credential.leaf.issuer
        notBefore = credential.leaf.notBefore
        notAfter = credential.leaf.notAfter
        authorities = []
        if case .roots(let roots) = configuration.trust {
            authorities = roots.filter(\.isAuthority).map(\.subject)
        }
        self.now = now
    }
}

/// Whether this peer listens, or can listen, on its port.
struct MeshPortFinding {
    /// The port of `--port`, 0 for any.
    var wanted: UInt16
    /// The port of the running peer, if there is one.
    var running: UInt16?
    /// The process of the running peer.
    var process: Int64?
    /// Whether the port accepts connections on this machine.
    var isOpen: Bool

    var finding: Finding {
        let open = "make sure that the firewall lets other machines connect to it"
        if let running {
            let owner = "process \(process ?? 0)"
            guard isOpen else {
                return .warning(
                    "port",
                    "\(owner) listens on port \(running), but not on 127.0.0.1",
                    "if '--interface' is not set, check the firewall of this machine"
                )
            }
            return .ok("port", "\(owner) listens on port \(running); \(open)")
        }
        guard wanted > 0 else {
            return .ok("port", "any free port; use '--port' if a firewall must be opened for it")
        }
        guard !isOpen else {
            return .failed(
                "port",
                "another program listens on port \(wanted)",
                "use another '--port'; 'ss -ltnp' lists the programs that listen",
                .unreachable
            )
        }
        return .ok("port", "port \(wanted) is free; \(open)")
    }
}

/// What discovery on the local network finds.
struct MeshNetworkFindings {
    let group: String
    let ownID: MeshPeerID
    let scheme: RevisionScheme
    let hasSeeds: Bool

    /// Whether Avahi and multicast work on this machine; with seeds, a mesh works without them.
    func finding(of outcome: DiscoveryProbe.Outcome) -> Finding {
        switch outcome {
        case .found(let milliseconds):
            .ok("discovery", "Avahi advertised and found a test peer (\(milliseconds) ms)")
        case .silent(let patience):
            problem(
                "Avahi did not find its own test peer within \(patience.components.seconds) s",
                "check that an interface is up and has multicast ('ip link'), and that no firewall "
                    + "blocks UDP 5353; or use '--no-discovery' with '--seed'"
            )
        case .failed(.noDaemon):
            problem(
                "Avahi daemon not running",
                "install and start avahi-daemon, or use '--no-discovery' with '--seed'"
            )
        case .failed(let error):
            problem("\(error)", "or use '--no-discovery' with '--seed'")
        }
    }

    private func problem(_ seen: String, _ remedy: String) -> Finding {
        hasSeeds
            ? .warning("discovery", seen, remedy)
            : .failed("discovery", seen, remedy, .unreachable)
    }

    /// The discovered peers without this one.
    func peers(of report: DiscoveryProbe.Report) -> [DiscoveredPeer] {
        report.peers.filter { announcement(of: $0)?.peer != ownID }
    }

    private func announcement(of peer: DiscoveredPeer) -> MeshAnnouncement? {
        try? MeshAnnouncement(textStrings: peer.record.strings)
    }

    /// The findings about what the peers announce.
    func findings(of peers: [DiscoveredPeer]) -> [Finding] {
        guard !peers.isEmpty else {
            let seen = "no other peer of \(group) found on the local network"
            let remedy =
                "check that the others use the same GROUP, and that the network forwards multicast "
                + "between them; or use '--seed'"
            return [hasSeeds ? .ok("peers", seen) : .warning("peers", seen, remedy)]
        }
        let names = peers.map(\.name).joined(separator: ", ")
        let number: UInt8 = scheme == .vectors ? 4 : 3
        let others = peers.filter { announcement(of: $0)?.scheme != number }.map(\.name)
        guard !others.isEmpty else { return [.ok("peers", "found \(names)")] }
        return [.ok("peers", "found \(names)"), .otherScheme(others.joined(separator: ", "))]
    }
}

extension Finding {
    /// Peers with the other revision scheme.
    static func otherScheme(_ peers: String) -> Finding {
        .failed(
            "scheme",
            "\(peers): different revision scheme, or a different version of Divan",
            "compare 'divan info' of the databases; 'divan upgrade DB' converts to version vectors",
            .invalid
        )
    }
}
