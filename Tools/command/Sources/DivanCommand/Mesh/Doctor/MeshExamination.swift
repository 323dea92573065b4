@_spi(Modern) import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanDiscovery
import DivanJSON
import DivanMesh
import DivanMeshPeer
import DivanPlatform
import DivanRevisions
import DivanStatus
import DivanTLS
import DivanTransport
import Foundation
import Synchronization

/// Examines everything that a peer of a mesh needs, and the other peers that it can reach.
struct MeshExamination {
    /// How many of the discovered peers are called.
    private static let peerCount = 8

    private let path: DatabasePath
    private let configuration: MeshPeerConfiguration
    private let scheme: DivanRevisions.RevisionScheme
    private let seeds: [URL]
    private let usesDiscovery: Bool
    private let patience: Int
    private let show: (Finding) -> Void

    init(
        _ arguments: Arguments,
        _ terminal: Terminal,
        _ show: @escaping (Finding) -> Void
    ) throws {
        path = arguments.database
        self.show = show
        patience = try arguments.number("--timeout", in: 1...300) ?? 5
        let options = MeshOptions(arguments, "divan mesh doctor")
        let group: MeshGroup
        do throws(MeshError) {
            group = try MeshGroup(arguments.operands[1])
        } catch {
            throw Failure(kind: .usage, text: "\(error)")
        }
        let wanted = try arguments.collectionPaths()
        let store = try path.open(forWriting: false)
        defer { try? store.close() }
        try path.require(wanted, in: store)
        scheme = store.scheme
        var configuration = MeshPeerConfiguration(
            group: group,
            credential: try options.credential(terminal),
            trust: .roots(try options.roots().map(\.certificate)),
            collections: wanted.isEmpty ? try store.read { try $0.collections() } : wanted
        )
        configuration.port = try options.port()
        self.configuration = configuration
        seeds = try options.seeds()
        usesDiscovery = options.usesDiscovery
    }

    func run() throws {
        show(MeshCertificateFinding(configuration, now: Date()).finding)
        show(portFinding)
        if usesDiscovery { try examineNetwork() }
        for seed in seeds { try examine(seed) }
        if !usesDiscovery, seeds.isEmpty {
            show(
                .failed(
                    "peers",
                    "neither discovery nor seeds",
                    "add '--seed wss://HOST:PORT', or remove '--no-discovery'",
                    .usage
                )
            )
        }
    }

    private var ownID: MeshPeerID { MeshPeerID(configuration.credential.leaf) }

    // MARK: This machine

    private var portFinding: Finding {
        let statuses = (try? StatusDirectory(bundle: path.bundle).read()) ?? []
        let own = statuses.first {
            $0["verb"]?.string == "mesh" && $0["group"]?.string == configuration.group.name
        }
        let running = own.flatMap { $0["port"]?.int }.flatMap { UInt16(exactly: $0) }
        let port = running ?? configuration.port
        let isOpen =
            port > 0 && AddressProbe.reach("127.0.0.1", port, seconds: patience).problem == nil
        return MeshPortFinding(
            wanted: configuration.port,
            running: running,
            process: own?["pid"]?.int,
            isOpen: isOpen
        ).finding
    }

    // MARK: The network

    private func examineNetwork() throws {
        let report = DiscoveryProbe.run(
            for: configuration.group,
            over: AvahiDiscovery(),
            patience: .seconds(patience)
        )
        let network = MeshNetworkFindings(
            group: configuration.group.name,
            ownID: ownID,
            scheme: scheme,
            hasSeeds: !seeds.isEmpty
        )
        show(network.finding(of: report.outcome))
        let peers = network.peers(of: report)
        for finding in network.findings(of: peers) { show(finding) }
        for peer in peers.prefix(Self.peerCount) {
            // Without link-local addresses, whose zone no URL of a mesh contains.
            let hosts = peer.addresses.filter { !$0.contains("%") }
            let addresses = AddressExamination(patience: patience, show)
            guard !hosts.isEmpty, let host = addresses.reach(hosts, peer.port) else { continue }
            try call(host, peer.port)
        }
    }

    private func examine(_ seed: URL) throws {
        guard let host = seed.host, let port = seed.port.flatMap({ UInt16(exactly: $0) }) else {
            return
        }
        let addresses = AddressExamination(patience: patience, show)
        guard addresses.reach(host, port) else { return }
        try call(host, port)
    }

    private func call(_ host: String, _ port: UInt16) throws {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let findings = MeshPeerFindings(
            place: place,
            group: configuration.group.name,
            ownID: ownID,
            patience: patience
        )
        guard let report = try report(from: place) else { return }
        for finding in findings.findings(of: report) { show(finding) }
    }

    /// Waits for the answer of a peer; `nil` for a place that no URL can contain.
    private func report(from place: String) throws -> MeshProbe.Report? {
        guard let address = try? MeshAddress(place) else { return nil }
        let probe = MeshProbe(configuration, scheme: scheme, timeout: .seconds(patience))
        let received = Mutex<MeshProbe.Report?>(nil)
        let ended = TimedSignal()
        try probe.call(address) { report in
            received.withLock { $0 = report }
            ended.signal()
        }
        // The call has a time limit of its own.
        ended.wait(for: nil)
        return received.withLock { $0 }
    }
}
