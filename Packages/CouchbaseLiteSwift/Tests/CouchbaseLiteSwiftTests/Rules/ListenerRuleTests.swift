import CouchbaseLiteSwift
import DivanCrypto
import DivanTLS
import Foundation
import Testing

/// `behaviour.md` §13 and §14, where two listeners, a third peer or an odd identity is needed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ListenerRuleTests {
    @Test func `two listeners of the same database share the anonymous identity`() async throws {
        let peers = try Peers()
        let (first, second) = (try peers.listen(), try peers.listen())
        defer {
            first.stop()
            second.stop()
        }
        #expect(first.port != second.port)
        let identity = try #require(first.tlsIdentity)
        #expect(second.tlsIdentity?.certs == identity.certs)
        for listener in [first, second] {
            var configuration = try peers.configuration(target: try listener.endpoint())
            configuration.pinnedServerCertificate = identity.certs[0]
            #expect(await Replicator(config: configuration).finalCode() == 0)
        }
    }

    @Test func `a listener and replicators of the same database can run at the same time`()
        async throws
    {
        let peers = try Peers()
        let home = try TemporaryDatabase("third")
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        try home.collection.put("third", 3)
        var outgoing = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try peers.there.defaultCollection())],
            target: DatabaseEndpoint(database: home.database)
        )
        outgoing.continuous = true
        let replicator = Replicator(config: outgoing)
        _ = await replicator.start(until: .idle)
        let client = Replicator(config: try peers.configuration(target: try listener.endpoint()))
        #expect(await client.finalCode() == 0)
        #expect(try peers.here.defaultCollection().value("third") == 3)
        replicator.stop()
    }

    @Test func `port nil or 0 selects a free port at each start`() throws {
        let peers = try Peers()
        for port in [nil, 0] as [UInt16?] {
            let listener = try peers.listen {
                $0.port = port
                $0.disableTLS = true
            }
            #expect((listener.port ?? 0) > 0)
            listener.stop()
            #expect(listener.port == nil)
            try listener.start()
            #expect((listener.port ?? 0) > 0)
            listener.stop()
        }
    }

    @Test func `a push-and-pull replicator stops with 10403 at a read-only listener`() async throws
    {
        let peers = try Peers()
        try peers.here.defaultCollection().put("mine", 1)
        let listener = try peers.listen {
            $0.readOnly = true
            $0.disableTLS = true
        }
        defer { listener.stop() }
        let both = try peers.configuration(.pushAndPull, target: try listener.endpoint())
        #expect(await Replicator(config: both).finalCode() == CBLError.httpForbidden)
        #expect(try peers.there.defaultCollection().count == 0)
    }

    @Test func `a listener with no collections, or those of two databases, is a fatal error`() async
    {
        await #expect(processExitsWith: .failure) {
            let peers = try Peers()
            _ = URLEndpointListenerConfiguration(collections: [
                try peers.here.defaultCollection(), try peers.there.defaultCollection(),
            ])
        }
        await #expect(processExitsWith: .failure) {
            _ = URLEndpointListenerConfiguration(collections: [])
        }
    }

    @Test func `each listener of a database has its own authenticator`() async throws {
        let peers = try Peers()
        let open = try peers.listen { $0.disableTLS = true }
        let closed = try peers.listen {
            $0.disableTLS = true
            $0.authenticator = ListenerPasswordAuthenticator { $0 == "ada" && $1 == "lovelace" }
        }
        defer {
            open.stop()
            closed.stop()
        }
        let anybody = try peers.configuration(target: open.endpoint())
        var stranger = try peers.configuration(target: closed.endpoint())
        #expect(await Replicator(config: anybody).finalCode() == 0)
        #expect(await Replicator(config: stranger).finalCode() == CBLError.httpAuthRequired)
        stranger.authenticator = BasicAuthenticator(username: "ada", password: "lovelace")
        #expect(await Replicator(config: stranger).finalCode() == 0)
    }

    @Test func `both connection counts are zero before start and after stop`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        #expect(listener.status.connectionCount == 0)
        var configuration = try peers.configuration(target: try listener.endpoint())
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        _ = await replicator.start(until: .idle)
        #expect(listener.status.connectionCount == 1)
        #expect(listener.status.activeConnectionCount <= 1)
        listener.stop()
        #expect(listener.status.connectionCount == 0)
        #expect(listener.status.activeConnectionCount == 0)
        listener.stop()
        replicator.stop()
    }

    @Test func `starting a listener with delta sync inside a batch throws transactionNotClosed`()
        throws
    {
        let peers = try Peers()
        var config = URLEndpointListenerConfiguration(
            collections: [try peers.there.defaultCollection()]
        )
        (config.disableTLS, config.enableDeltaSync) = (true, true)
        config.networkInterface = "127.0.0.1"
        let listener = URLEndpointListener(config: config)
        try peers.there.inBatch {
            expect(CBLError.transactionNotClosed) { try listener.start() }
        }
        try listener.start()
        listener.stop()
    }
}

extension ListenerRuleTests {
    private func credential(_ name: String, from start: Date, to end: Date) throws -> TLSCredential
    {
        try TLSCredential.generate(
            CertificateTemplate(
                attributes: [certAttrCommonName: name],
                usages: .serverAuth,
                now: start,
                notAfter: end
            ),
            issuer: nil
        )
    }

    /// `behaviour.md` §14.
    @Test func `importing under an existing label throws crypto, and an identity keeps its chain`()
        throws
    {
        TestIdentities.use()
        let credential = try credential("imported", from: Date(), to: Date() + 3_600)
        let file = Data(try credential.pkcs12(password: "secret", name: "imported"))
        func importIdentity() throws -> TLSIdentity {
            try TLSIdentity.importIdentity(
                withData: file,
                password: "secret",
                label: "rule-imported"
            )
        }
        let imported = try importIdentity()
        expect(CBLError.crypto) { _ = try importIdentity() }
        let found = try #require(try TLSIdentity.identity(withLabel: "rule-imported"))
        #expect(found.certs == imported.certs && found.certs.count == 1)
        #expect(found.certs[0].commonName == "imported")
        try TLSIdentity.deleteIdentity(withLabel: "rule-imported")
        #expect(try TLSIdentity.identity(withLabel: "rule-imported") == nil)
        expect(CBLError.crypto) {
            _ = try TLSIdentity.importIdentity(withData: file, password: "wrong", label: "rule-x")
        }
    }

    /// `behaviour.md` §14.
    @Test func `an expired identity can be loaded, but peers refuse it with 5007`() async throws {
        let peers = try Peers()
        let past = Date(timeIntervalSinceNow: -7_200)
        let expired = try credential("127.0.0.1", from: past, to: past + 3_600)
        let identity = try TLSIdentity.importIdentity(
            withData: Data(try expired.pkcs12(password: "p", name: "e")),
            password: "p",
            label: "rule-expired"
        )
        defer { try? TLSIdentity.deleteIdentity(withLabel: "rule-expired") }
        #expect(try TLSIdentity.identity(withLabel: "rule-expired") != nil)
        #expect(identity.expiration < Date())
        let listener = try peers.listen { $0.tlsIdentity = identity }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: try listener.endpoint())
        configuration.trustedRootCertificates = identity.certs[0].der
        #expect(await Replicator(config: configuration).finalCode() == CBLError.tlsCertExpired)
    }

    /// `behaviour.md` §14.
    @Test func `an issuer stays in memory, and identities it signs include their chain`() throws {
        TestIdentities.use()
        var template = CertificateTemplate(
            attributes: [certAttrCommonName: "authority"],
            usages: [],
            now: Date(),
            notAfter: Date() + 3_600
        )
        template.isAuthority = true
        let authority = try TLSCredential.generate(template, issuer: nil)
        let issuer = try TLSIdentity.createIssuer(
            withPrivateKey: Data(try authority.key.pkcs8DER()),
            certificate: Data(authority.leaf.derBytes)
        )
        let signed = try TLSIdentity.createIdentity(
            for: .clientAuth,
            attributes: [certAttrCommonName: "signed"],
            issuer: issuer,
            label: "rule-signed"
        )
        defer { try? TLSIdentity.deleteIdentity(withLabel: "rule-signed") }
        #expect(signed.certs.count == 2)
        #expect(signed.certs[1] == issuer.certs[0])
        #expect(signed.certs[0].issuer.contains("authority"))
        let labels = try TLSIdentity.labels()
        #expect(labels.contains("rule-signed") && !labels.contains { $0.contains("authority") })
    }
}
