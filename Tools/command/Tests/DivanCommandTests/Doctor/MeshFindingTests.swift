import DivanCommandLine
import DivanDiscovery
import DivanHTTP
import DivanMesh
import DivanMeshPeer
import DivanRevisions
import DivanTransport
import Foundation
import Testing

@testable import DivanCommand

/// The findings of `divan mesh doctor`, from what its probes return.
@Suite struct MeshFindingTests {
    /// A moment in 2026.
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)
    private static let day: TimeInterval = 86_400

    /// The step, the verdict and the remedy.
    private func text(_ finding: Finding) -> String {
        "\(finding.step) \(finding.verdict.rawValue): \(finding.seen)"
            + (finding.remedy.map { " -> \($0)" } ?? "")
    }

    private func certificate(
        from begin: TimeInterval = -1,
        to end: TimeInterval = 100,
        authorities: [String] = ["CN=cellar"]
    ) -> Finding {
        MeshCertificateFinding(
            subject: "CN=robot",
            issuer: "CN=cellar",
            notBefore: Self.now + begin * Self.day,
            notAfter: Self.now + end * Self.day,
            authorities: authorities,
            now: Self.now
        ).finding
    }

    @Test func `a certificate needs valid dates and a common authority`() {
        #expect(certificate().verdict == .ok)
        #expect(certificate(authorities: []).verdict == .ok)
        #expect(certificate(to: 13).verdict == .warning)
        let early = certificate(from: 1)
        #expect(early.verdict == .failed && early.remedy?.contains("timedatectl") == true)
        let late = certificate(to: -0.5)
        #expect(late.verdict == .failed && late.remedy?.contains("identity renew") == true)
        let foreign = text(certificate(authorities: ["CN=attic"]))
        #expect(foreign.hasPrefix("certificate warning: certificate of CN=robot, valid until "))
        #expect(foreign.contains("is signed by CN=cellar, but --peer-ca accepts CN=attic"))
    }

    @Test func `a port must be free unless the mesh of the database uses it`() {
        func port(_ wanted: UInt16, _ running: UInt16?, isOpen: Bool) -> Finding {
            MeshPortFinding(wanted: wanted, running: running, process: 7, isOpen: isOpen).finding
        }
        #expect(port(0, nil, isOpen: false).verdict == .ok)
        #expect(port(4985, nil, isOpen: false).verdict == .ok)
        #expect(port(4985, 4985, isOpen: true).verdict == .ok)
        #expect(port(0, 4985, isOpen: false).verdict == .warning)
        #expect(
            text(port(4985, nil, isOpen: true)).hasPrefix(
                "port failed: another program listens on port 4985 -> use another '--port'"
            )
        )
    }

    // MARK: Discovery

    private func peerID(_ byte: UInt8 = 1) throws -> MeshPeerID {
        let bytes = [UInt8](repeating: byte, count: 32)
        let id = MeshPeerID(bytes.span)
        return try #require(id)
    }

    private func network(hasSeeds: Bool = false) throws -> MeshNetworkFindings {
        MeshNetworkFindings(group: "home", ownID: try peerID(), scheme: .trees, hasSeeds: hasSeeds)
    }

    @Test func `discovery must work if there are no seeds`() throws {
        let outcomes: [DiscoveryProbe.Outcome] = [
            .silent(.seconds(5)), .failed(.noDaemon(code: -26)), .failed(.invalidPort),
        ]
        let network = try network()
        #expect(network.finding(of: .found(milliseconds: 3)).verdict == .ok)
        for outcome in outcomes {
            let (alone, seeded) = (network.finding(of: outcome), try self.network(hasSeeds: true))
            #expect(alone.verdict == .failed && alone.kind == .unreachable)
            #expect(seeded.finding(of: outcome).verdict == .warning)
        }
        #expect(
            text(network.finding(of: .failed(.noDaemon(code: -26))))
                == "discovery failed: Avahi daemon not running -> install and start avahi-daemon, "
                + "or use '--no-discovery' with '--seed'"
        )
    }

    private func service(_ byte: UInt8, scheme: UInt8) throws -> DiscoveredPeer {
        let announcement = MeshAnnouncement(
            peer: try peerID(byte),
            counter: MeshCounter(rawValue: 1),
            scheme: scheme
        )
        let record = try TextRecord(strings: announcement.textStrings)
        return DiscoveredPeer(name: "peer\(byte)", host: "peer.local", port: 1, record: record)
    }

    @Test func `announced peers with another revision scheme are reported`() throws {
        let network = try network()
        let all = [
            try service(1, scheme: 3), try service(2, scheme: 3), try service(3, scheme: 4),
        ]
        let report = DiscoveryProbe.Report(outcome: .found(milliseconds: 1), peers: all)
        let others = network.peers(of: report)
        #expect(others.map(\.name) == ["peer2", "peer3"])
        let findings = network.findings(of: others)
        #expect(findings.map(\.step) == ["peers", "scheme"])
        #expect(findings.last?.seen.hasPrefix("peer3: different revision scheme") == true)
        #expect(network.findings(of: []).map(\.verdict) == [.warning])
    }

    @Test func `the discovery probe finds its own peer and those of the group`() throws {
        let hub = DiscoveryHub()
        let group = try MeshGroup("home")
        let advertised = try service(2, scheme: 3)
        let activity = try hub.advertise(
            PeerAdvertisement(
                name: advertised.name,
                port: advertised.port,
                service: .mesh(subtype: group.subtype),
                record: advertised.record
            )
        ) { _ in }
        defer { activity.stop() }
        let report = DiscoveryProbe.run(for: group, over: hub, patience: .seconds(60))
        guard case .found = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(report.peers.map(\.name) == ["peer2"])
    }

    // MARK: Other peers

    private func findings(_ answer: MeshProbe.Report.Answer, date: String? = nil) throws -> [String]
    {
        let findings = MeshPeerFindings(
            place: "10.0.0.5:4985",
            group: "home",
            ownID: try peerID(),
            patience: 5
        )
        let report = MeshProbe.Report(answer, headers: date.map { ["Date": $0] } ?? [:])
        return findings.findings(of: report).map(text)
    }

    private static func refused(_ status: Int) -> MeshProbe.Report.Answer {
        let reason = TransportError.Reason.refused(status: status, explanation: "", headers: [:])
        return .failed(TransportError(reason, place: "wss://10.0.0.5:4985"))
    }

    private static let answers: [(MeshProbe.Report.Answer, String)] = [
        (.compatible, "peer ok: 10.0.0.5:4985 accepts this peer"),
        (.otherScheme, "scheme failed: 10.0.0.5:4985: different revision scheme"),
        (
            refused(404),
            "group failed: 10.0.0.5:4985 is not in the group home -> use the same GROUP"
        ),
        (refused(409), "collections failed: 10.0.0.5:4985 has no collection in common"),
        (refused(503), "peer warning: 10.0.0.5:4985 is busy: HTTP 503 -> try again later"),
        (refused(200), "peer failed: 10.0.0.5:4985 is not a peer of a mesh: HTTP 200"),
        (
            .failed(TransportError(.timeout(.connection), place: "wss://10.0.0.5:4985")),
            "websocket failed: the server accepted the TCP connection, but did not respond"
        ),
        (
            .failed(TransportError(.unknownHost("x"), place: "wss://x:1")),
            "name failed: wss://x:1: unknown host x"
        ),
    ]

    @Test func `each answer of a peer is explained`() throws {
        for (answer, expected) in Self.answers {
            let found = try findings(answer)
            #expect(found.count == 1 && found[0].hasPrefix(expected), "\(found)")
        }
    }

    @Test func `a difference between the clocks is reported first`() throws {
        let found = try findings(Self.refused(404), date: "Wed, 01 Jan 2020 00:00:00 GMT")
        #expect(found.count == 2 && found[0].hasPrefix("clock warning: this machine's clock is "))
    }
}
