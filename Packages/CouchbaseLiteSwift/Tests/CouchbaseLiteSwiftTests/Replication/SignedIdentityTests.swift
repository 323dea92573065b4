import CouchbaseLiteSwift
import DivanCrypto
import DivanTLS
import Foundation
import Testing

/// Identities signed by an authority, created with the official API and used over sockets.
@Suite(.timeLimit(.minutes(5))) struct SignedIdentityTests {
    private let peers: Peers
    private let authority: TLSIdentity

    init() throws {
        peers = try Peers()
        // The authority comes from outside, as DER: the official API cannot create one.
        var template = CertificateTemplate(
            attributes: [certAttrCommonName: "cellar"],
            usages: [],
            now: Date(),
            notAfter: Date() + 3_600
        )
        template.isAuthority = true
        let credential = try TLSCredential.generate(template, issuer: nil)
        authority = try TLSIdentity.createIssuer(
            withPrivateKey: Data(try credential.key.pkcs8DER()),
            certificate: Data(credential.leaf.derBytes)
        )
    }

    private func identity(
        _ usages: KeyUsages,
        named name: String,
        signed: Bool = true
    ) throws -> TLSIdentity {
        let label = UUID().uuidString
        _ = try TLSIdentity.createIdentity(
            for: usages,
            attributes: [certAttrCommonName: name, certAttrIPAddress: "127.0.0.1"],
            issuer: signed ? authority : nil,
            label: label
        )
        // Reread it: the chain must survive its file.
        return try #require(try TLSIdentity.identity(withLabel: label))
    }

    private func sync(
        with listener: URLEndpointListener,
        as client: TLSIdentity?,
        trusting root: Data?
    ) async throws -> (code: Int, shown: SecCertificate?) {
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.maxAttempts = 1
        configuration.trustedRootCertificates = root
        configuration.authenticator = client.map { ClientCertificateAuthenticator(identity: $0) }
        let replicator = Replicator(config: configuration)
        return (await replicator.finalCode(), replicator.serverCertificate)
    }

    @Test func `both peers authenticate with certificates signed by the same authority`()
        async throws
    {
        try peers.here.defaultCollection().put("a", 1)
        let root = try #require(authority.certs.first)
        let server = try identity(.serverAuth, named: "box")
        #expect(server.certs.map(\.commonName) == ["box", "cellar"])
        let listener = try peers.listen {
            $0.tlsIdentity = server
            $0.authenticator = ListenerCertificateAuthenticator(rootCerts: [root])
        }
        defer { listener.stop() }
        #expect(listener.tlsIdentity?.certs == server.certs)

        let robot = try identity(.clientAuth, named: "robot")
        let end = try await sync(with: listener, as: robot, trusting: root.der)
        #expect(end.code == 0)
        #expect(end.shown == server.certs.first)
        #expect(try peers.there.defaultCollection().value("a") == 1)

        let other = try identity(.clientAuth, named: "robot", signed: false)
        let refusals = [
            try await sync(with: listener, as: other, trusting: root.der).code,
            try await sync(with: listener, as: nil, trusting: root.der).code,
            try await sync(with: listener, as: robot, trusting: nil).code,
            try await sync(with: listener, as: robot, trusting: other.certs.first?.der).code,
        ]
        #expect(
            refusals == [
                CBLError.tlsClientCertRejected, CBLError.tlsClientCertRequired,
                CBLError.tlsCertUnknownRoot, CBLError.tlsCertUnknownRoot,
            ]
        )
    }

    @Test func `a client certificate cannot be used by a listener`() async throws {
        let client = try identity(.clientAuth, named: "robot")
        let listener = try peers.listen { $0.tlsIdentity = client }
        defer { listener.stop() }
        let root = authority.certs.first?.der
        #expect(try await sync(with: listener, as: nil, trusting: root).code != 0)
    }
}
