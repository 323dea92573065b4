import DivanCrypto
import DivanTLS
import Foundation
import Synchronization
import Testing

/// Servers that require a certificate, and the codes at the client (`tls-and-auth.md` §3).
@Suite struct ClientCertificateTests {
    func pair(
        _ policy: ClientCertificatePolicy,
        credential: TLSCredential?
    ) throws -> SessionPair {
        let identity = try Sample.server()
        let pair = try SessionPair(
            client: ClientTLSConfiguration(
                serverTrust: .pinned(identity.leaf),
                credential: credential
            ),
            server: ServerTLSConfiguration(credential: identity, clientCertificates: policy)
        )
        pair.run()
        return pair
    }

    @Test func `a certificate signed by a given root is accepted`() throws {
        let root = try Sample.authority()
        let client = try Sample.client(issuer: root)
        let pair = try pair(.roots([root.leaf]), credential: client)
        #expect(pair.serverError == nil && pair.clientError == nil)
        #expect(pair.server.peerCertificates == client.certificates)
        try pair.client.send("hello")
        pair.run()
        #expect(pair.serverReceived == Array("hello".utf8))
    }

    @Test func `a self-signed certificate can be its own root`() throws {
        let client = try Sample.client()
        let pair = try pair(.roots([client.leaf]), credential: client)
        #expect(pair.serverError == nil && pair.clientError == nil)
    }

    @Test func `a missing certificate is reported with 9, after the client's handshake`() throws {
        let root = try Sample.authority()
        let pair = try pair(.roots([root.leaf]), credential: nil)
        #expect(pair.serverError?.reason == .clientCertificateMissing)
        #expect(pair.clientError?.reason == .clientCertificateRequired(alert: 116))
        #expect(pair.clientError?.networkCode == 9)
    }

    @Test func `a certificate signed by another root is refused with 10`() throws {
        let client = try Sample.client(issuer: Sample.authority("Other Root"))
        let pair = try pair(.roots([Sample.authority().leaf]), credential: client)
        #expect(pair.server.peerCertificates == client.certificates)
        #expect(pair.clientError?.reason == .certificateRefused(alert: 48))
        #expect(pair.clientError?.networkCode == 10)
    }

    @Test func `a server certificate used by a client is refused with 10`() throws {
        let root = try Sample.authority()
        let pair = try pair(.roots([root.leaf]), credential: Sample.server(issuer: root))
        #expect(pair.clientError?.networkCode == 10)
    }

    @Test func `a server certificate that is itself the root is accepted`() throws {
        let client = try Sample.server()
        let pair = try pair(.roots([client.leaf]), credential: client)
        #expect(pair.serverError == nil && pair.clientError == nil)
    }

    @Test func `an expired certificate signed by a given root is refused with 10`() throws {
        let root = try Sample.authority()
        let template = CertificateTemplate(
            attributes: ["CN": "late"],
            usages: .clientAuth,
            now: Sample.now - 3 * Sample.day,
            notAfter: Sample.now - Sample.day
        )
        let client = try TLSCredential.generate(template, key: .p256, issuer: root)
        let pair = try pair(.roots([root.leaf]), credential: client)
        #expect(pair.clientError?.reason == .certificateRefused(alert: 45))
        #expect(
            pair.serverError?.reason
                == .certificate(.expired(notAfter: client.leaf.notAfter))
        )
    }

    @Test func `a callback alone decides`() throws {
        let client = try Sample.client()
        let seen = Mutex<[TLSCertificate]>([])
        let accepted = try pair(
            .callback { chain in
                seen.withLock { $0 = chain }
                return true
            },
            credential: client
        )
        #expect(accepted.serverError == nil && accepted.clientError == nil)
        #expect(seen.withLock { $0 } == [client.leaf])

        let refused = try pair(.callback { _ in false }, credential: client)
        #expect(refused.serverError?.reason == .certificate(.refusedByCallback))
        #expect(refused.clientError?.networkCode == 10)
    }

    @Test
    func `certificate fields that cannot be parsed do not end the handshake before the callback`()
        throws
    {
        let key = try Sample.server().key
        let leaf = try OpenSSLCommand.certificate(
            of: key,
            name: "device",
            alternativeName: "DER:0401AA"
        )
        let identity = try Sample.server()
        let device = try TLSCredential(certificates: [leaf], key: key)
        let pair = try SessionPair(
            client: ClientTLSConfiguration(
                serverTrust: .pinned(identity.leaf),
                credential: device
            ),
            server: ServerTLSConfiguration(
                credential: identity,
                clientCertificates: .callback { $0[0].alternativeNames.isEmpty }
            )
        )
        // After the certificate the server waits for more, as it does on a slow network.
        pair.run { bytes in bytes.indices.map { bytes[$0...$0] } }
        #expect(pair.serverError == nil && pair.clientError == nil)
        #expect(pair.server.state == .open)
        #expect(pair.server.peerCertificates == device.certificates)
    }

    @Test func `a callback is not called for a client without a certificate`() throws {
        let pair = try pair(.callback { _ in true }, credential: nil)
        #expect(pair.clientError?.networkCode == 9)
    }

    @Test func `a client certificate is not sent unless requested`() throws {
        let pair = try pair(.none, credential: Sample.client())
        #expect(pair.serverError == nil && pair.clientError == nil)
        #expect(pair.server.peerCertificates == [])
    }

    @Test func `an alert after the first data is not reported as a refused certificate`() throws {
        let identity = try Sample.server()
        let client = try TLSContext.client(
            ClientTLSConfiguration(serverTrust: .pinned(identity.leaf))
        )
        let server = try TLSContext.server(ServerTLSConfiguration(credential: identity))
        let pair = try SessionPair(client: client, server: server)
        pair.run()
        try pair.server.send("data")
        pair.run()
        // A record that the server cannot decrypt makes it answer with alert 20.
        var nothing: [UInt8] = []
        let forged: [UInt8] = [23, 3, 3, 0, 17] + [UInt8](repeating: 0, count: 17)
        #expect(throws: TLSError.self) {
            try pair.server.receive(forged.span, appendingTo: &nothing)
        }
        pair.run()
        #expect(pair.clientError?.reason == .alert(20))
        #expect(pair.clientError?.networkCode == nil, "another connection may bring it whole")
    }
}
