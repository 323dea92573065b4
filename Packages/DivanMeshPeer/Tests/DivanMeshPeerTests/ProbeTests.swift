import DivanDiscovery
import DivanMesh
import DivanMeshPeer
import DivanRevisions
import DivanStore
import DivanTLS
import DivanTransport
import Testing

/// Calls that only ask.
@Suite(.timeLimit(.minutes(5))) struct ProbeTests {
    private let root: TLSCredential

    init() throws {
        root = try Sample.authority()
    }

    /// Asks a running peer; returns the answer as a word.
    private func ask(
        scheme: RevisionScheme = .trees,
        _ change: (inout MeshPeerConfiguration) -> Void = { _ in }
    ) async throws -> String {
        let credential = try Sample.peer(issuer: root)
        let called = try TestPeer(credential, trust: .roots([root.leaf])) {
            $0.discovery = DiscoveryHub()
        }
        let address = try called.start()
        var configuration = MeshPeerConfiguration(
            group: try MeshGroup("kitchen"),
            credential: try Sample.peer(issuer: root),
            trust: .roots([root.leaf]),
            collections: [.default]
        )
        change(&configuration)
        let probe = MeshProbe(configuration, scheme: scheme, timeout: .seconds(60))
        let (reports, continuation) = AsyncStream.makeStream(of: MeshProbe.Report.self)
        try probe.call(address) { report in
            continuation.yield(report)
            continuation.finish()
        }
        var answers: [String] = []
        for await report in reports {
            #expect(report.certificates.first == credential.leaf)
            answers.append(text(report.answer))
        }
        let noticed = called.peer.peers.isEmpty ? "" : ", noticed"
        await called.leave()
        return answers.joined(separator: ", ") + noticed
    }

    private func text(_ answer: MeshProbe.Report.Answer) -> String {
        switch answer {
        case .compatible: "compatible"
        case .otherScheme: "other scheme"
        case .failed(let error):
            if case .refused(let status, _, _) = error.reason {
                "refused with \(status)"
            } else if case .tls = error.reason {
                "no trust"
            } else {
                "\(error)"
            }
        }
    }

    @Test func `a peer of the same group is compatible, and does not notice the call`() async throws
    {
        #expect(try await ask() == "compatible")
    }

    @Test func `a peer with the other revision scheme is recognized`() async throws {
        let answer = try await ask(scheme: .vectors)
        #expect(answer.hasPrefix("other scheme"), "\(answer)")
    }

    @Test func `another group is refused with 404`() async throws {
        let group = try MeshGroup("hall")
        #expect(try await ask { $0.group = group } == "refused with 404")
    }

    @Test func `a peer without common collections is refused with 409`() async throws {
        let path = try #require(CollectionPath("geo.places"))
        #expect(try await ask { $0.collections = [path] } == "refused with 409")
    }

    @Test func `a certificate of an unknown authority is not trusted`() async throws {
        let other = try Sample.authority("Other Root")
        #expect(try await ask { $0.trust = .roots([other.leaf]) } == "no trust")
    }
}
