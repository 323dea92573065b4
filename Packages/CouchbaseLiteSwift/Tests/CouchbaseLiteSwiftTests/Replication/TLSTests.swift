import CouchbaseLiteSwift
import Foundation
import Testing

/// Which listeners a replicator trusts, and which clients a listener accepts.
@Suite(.timeLimit(.minutes(5))) struct ReplicationTLSTests {
    private func code(
        _ peers: Peers,
        _ listener: URLEndpointListener,
        _ change: (inout ReplicatorConfiguration) -> Void
    ) async throws -> Int {
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.maxAttempts = 1
        change(&configuration)
        return await Replicator(config: configuration).finalCode()
    }

    @Test func `a self-signed certificate is refused by default but available to the application`()
        async throws
    {
        let peers = try Peers()
        let listener = try peers.listen()
        defer { listener.stop() }
        let replicator = Replicator(config: try peers.configuration(target: listener.endpoint()))
        #expect(await replicator.finalCode() == CBLError.tlsCertUnknownRoot)
        #expect(replicator.serverCertificate == listener.tlsIdentity?.certs.first)
    }

    @Test func `a self-signed certificate is accepted with acceptOnlySelfSignedServerCertificate`()
        async throws
    {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        let listener = try peers.listen()
        defer { listener.stop() }
        let code = try await code(peers, listener) {
            $0.acceptOnlySelfSignedServerCertificate = true
        }
        #expect(code == 0)
        #expect(try peers.there.defaultCollection().value("a") == 1)
    }

    @Test func `the pinned certificate is accepted, and any other is 5011`() async throws {
        let peers = try Peers()
        let listener = try peers.listen()
        defer { listener.stop() }
        let right = try #require(listener.tlsIdentity?.certs.first)
        let accepted = try await code(peers, listener) { $0.pinnedServerCertificate = right }
        #expect(accepted == 0)

        let other = try TLSIdentity.createIdentity(
            for: .serverAuth,
            attributes: [certAttrCommonName: "other"],
            label: UUID().uuidString
        )
        let refused = try await code(peers, listener) {
            $0.pinnedServerCertificate = other.certs.first
        }
        #expect(refused == CBLError.tlsCertUnknownRoot)
    }

    @Test func `the anonymous identity is created once`() throws {
        let peers = try Peers()
        let first = try peers.listen()
        let certificate = first.tlsIdentity?.certs.first
        first.stop()
        let second = try peers.listen()
        defer { second.stop() }
        #expect(certificate?.commonName == "CBLAnonymousCertificate")
        #expect(second.tlsIdentity?.certs.first == certificate)
    }

    @Test func `custom root certificates replace the system's`() async throws {
        let peers = try Peers()
        let identity = try TLSIdentity.createIdentity(
            for: .serverAuth,
            attributes: [certAttrCommonName: "there", certAttrIPAddress: "127.0.0.1"],
            label: UUID().uuidString
        )
        let listener = try peers.listen { $0.tlsIdentity = identity }
        defer { listener.stop() }
        let root = try #require(identity.certs.first)
        let accepted = try await code(peers, listener) {
            $0.trustedRootCertificates = Data(root.pem.utf8)
        }
        #expect(accepted == 0)
        let contradictory = try await code(peers, listener) {
            $0.trustedRootCertificates = root.der
            $0.acceptOnlySelfSignedServerCertificate = true
        }
        #expect(contradictory == CBLError.invalidParameter)
    }

    @Test func `an expired certificate is 5007`() async throws {
        let peers = try Peers()
        let identity = try TLSIdentity.createIdentity(
            for: .serverAuth,
            attributes: [certAttrCommonName: "there", certAttrIPAddress: "127.0.0.1"],
            expiration: Date(timeIntervalSinceNow: -30),
            label: UUID().uuidString
        )
        let listener = try peers.listen { $0.tlsIdentity = identity }
        defer { listener.stop() }
        let code = try await code(peers, listener) {
            $0.trustedRootCertificates = identity.certs.first?.der
        }
        #expect(code == CBLError.tlsCertExpired)
    }

    @Test func `a wrong or missing password is 10401, and the right one is accepted`() async throws
    {
        let peers = try Peers()
        let listener = try peers.listen {
            $0.authenticator = ListenerPasswordAuthenticator { name, password in
                name == "ada" && password == "löve:lace"
            }
        }
        defer { listener.stop() }
        let attempts: [(any Authenticator)?] = [
            nil, BasicAuthenticator(username: "ada", password: "wrong"),
            BasicAuthenticator(username: "ada", password: "löve:lace"),
        ]
        var codes: [Int] = []
        for authenticator in attempts {
            codes.append(
                try await code(peers, listener) {
                    $0.acceptOnlySelfSignedServerCertificate = true
                    $0.authenticator = authenticator
                }
            )
        }
        #expect(codes == [CBLError.httpAuthRequired, CBLError.httpAuthRequired, 0])
    }

    @Test func `a listener without authenticator accepts any credentials`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        let code = try await code(peers, listener) {
            $0.authenticator = BasicAuthenticator(username: "any", password: "one")
        }
        #expect(code == 0)
    }

    @Test func `a client certificate from a trusted root is accepted`() async throws {
        let peers = try Peers()
        let identity = try TLSIdentity.createIdentity(
            for: .clientAuth,
            attributes: [certAttrCommonName: "ada"],
            label: UUID().uuidString
        )
        let root = try #require(identity.certs.first)
        let listener = try peers.listen {
            $0.authenticator = ListenerCertificateAuthenticator(rootCerts: [root])
        }
        defer { listener.stop() }
        let accepted = try await code(peers, listener) {
            $0.acceptOnlySelfSignedServerCertificate = true
            $0.authenticator = ClientCertificateAuthenticator(identity: identity)
        }
        #expect(accepted == 0)
        let missing = try await code(peers, listener) {
            $0.acceptOnlySelfSignedServerCertificate = true
        }
        #expect(missing == CBLError.tlsClientCertRequired)
    }

    @Test func `a callback can reject a client certificate`() async throws {
        let peers = try Peers()
        let identity = try TLSIdentity.createIdentity(
            for: .clientAuth,
            attributes: [certAttrCommonName: "mallory"],
            label: UUID().uuidString
        )
        let listener = try peers.listen {
            $0.authenticator = ListenerCertificateAuthenticator { certificates in
                certificates.first?.commonName == "ada"
            }
        }
        defer { listener.stop() }
        let refused = try await code(peers, listener) {
            $0.acceptOnlySelfSignedServerCertificate = true
            $0.authenticator = ClientCertificateAuthenticator(identity: identity)
        }
        #expect(refused == CBLError.tlsClientCertRejected)
    }

    @Test func `a certificate authenticator requires TLS`() throws {
        let peers = try Peers()
        do {
            _ = try peers.listen {
                $0.disableTLS = true
                $0.authenticator = ListenerCertificateAuthenticator { _ in true }
            }
            Issue.record("it listens")
        } catch let error as NSError {
            #expect(error.code == CBLError.invalidParameter)
        }
    }
}
