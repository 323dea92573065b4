import DivanCrypto
import DivanTLS
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Every trust mode against every kind of server certificate, with the code that the application gets.
@Suite struct ServerTrustTests {
    /// Runs a handshake; returns the client's error, after checking what must always hold.
    func refusal(
        of identity: TLSCredential,
        by trust: ServerTrust,
        serverName: String? = "localhost"
    ) throws -> TLSError? {
        let pair = try SessionPair(
            client: ClientTLSConfiguration(serverTrust: trust),
            server: ServerTLSConfiguration(credential: identity),
            serverName: serverName
        )
        pair.run()
        #expect(pair.client.peerCertificates == identity.certificates)
        #expect(pair.client.state == (pair.clientError == nil ? .open : .closed))
        if pair.clientError != nil {
            let alert = try #require(pair.serverError)
            guard case .certificateRefused = alert.reason else {
                Issue.record("the server was told \(alert)")
                return pair.clientError
            }
        }
        return pair.clientError
    }

    func problem(_ error: TLSError?) -> CertificateProblem? {
        if case .certificate(let problem) = error?.reason { problem } else { nil }
    }

    @Test(arguments: ["localhost", "127.0.0.1", "::1", "[::1]", "LOCALHOST."])
    func `accepts a certificate signed by a given root by name and address`(host: String) throws {
        let root = try Sample.authority()
        let identity = try Sample.server(issuer: root)
        #expect(try refusal(of: identity, by: .roots([root.leaf]), serverName: host) == nil)
    }

    @Test func `a peer is accepted by its root and the callback, whatever its name is`() throws {
        let root = try Sample.authority()
        let identity = try Sample.server(issuer: root)
        for host in ["elsewhere.test", "10.0.0.1"] {
            let accepting = ServerTrust.peers(roots: [root.leaf]) { $0.first == identity.leaf }
            #expect(try refusal(of: identity, by: accepting, serverName: host) == nil)
            let refusing = ServerTrust.peers(roots: [root.leaf]) { _ in false }
            let error = try refusal(of: identity, by: refusing, serverName: host)
            #expect(problem(error) == .refusedByCallback)
        }
        let any = ServerTrust.peers(roots: [root.leaf]) { _ in true }
        let stranger = try Sample.server(issuer: Sample.authority("Other Root"))
        #expect(try refusal(of: stranger, by: any) != nil)
        #expect(try refusal(of: Sample.expiredServer(issuer: root), by: any) != nil)
        // A peer's own certificate is a root, even if it is for clients only.
        let client = try Sample.client()
        #expect(try refusal(of: client, by: .peers(roots: [client.leaf]) { _ in true }) == nil)
    }

    /// A server does not judge its own certificate; only a client that pinned it accepts it.
    @Test func `a SHA-1 certificate can be used by a server, and is accepted only if pinned`()
        throws
    {
        let root = try Sample.authority()
        let identity = try signedWithSHA1(by: root)
        #expect(try refusal(of: identity, by: .pinned(identity.leaf)) == nil)
        #expect(try refusal(of: identity, by: .roots([root.leaf])) != nil)
    }

    @Test func `a pinned authority refuses SHA-1 signatures and gives the reason`() throws {
        let root = try Sample.authority()
        let identity = try signedWithSHA1(by: root)
        for trust in [ServerTrust.pinned(root.leaf), .roots([root.leaf])] {
            let error = try #require(try refusal(of: identity, by: trust))
            #expect(error.description.contains("signed with a weak digest, such as SHA-1"))
            #expect(!error.description.contains("pinned"))
            #expect(error.networkCode == 8)
        }
    }

    @Test
    func `a pinned non-authority certificate refuses what it signed and gives the reason`() throws {
        let server = try Sample.server()
        let identity = try signed(by: server, digest: "-sha256")
        let error = try #require(try refusal(of: identity, by: .pinned(server.leaf)))
        #expect(error.description.contains("signed by a certificate that is not a valid authority"))
    }

    private func signedWithSHA1(by root: TLSCredential) throws -> TLSCredential {
        try signed(by: root, digest: "-sha1")
    }

    /// A server's identity, with its chain, signed by the `openssl` command.
    private func signed(by root: TLSCredential, digest: String) throws -> TLSCredential {
        let key = try Sample.server().key
        let folder = try TemporaryDirectory()
        try Data(root.pem().utf8).write(to: URL(filePath: folder.file("root")))
        try Data(key.pem().utf8).write(to: URL(filePath: folder.file("key")))
        let signed = try OpenSSLCommand.run(
            [
                "req", "-x509", "-new", digest, "-days", "30", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-key", folder.file("key"),
                "-CA", folder.file("root"), "-CAkey", folder.file("root"),
            ],
            input: ""
        )
        return try TLSCredential(
            certificates: [TLSCertificate(pem: signed), root.leaf],
            key: key
        )
    }

    @Test func `accepts a chain with an intermediate, and the intermediate as root`() throws {
        let root = try Sample.authority()
        var template = CertificateTemplate(
            attributes: ["CN": "Middle"],
            usages: [],
            now: Sample.now
        )
        template.isAuthority = true
        let middle = try TLSCredential.generate(template, key: .p256, issuer: root)
        let identity = try Sample.server(issuer: middle)
        #expect(identity.certificates.count == 3)
        #expect(try refusal(of: identity, by: .roots([root.leaf])) == nil)
        #expect(try refusal(of: identity, by: .roots([middle.leaf])) == nil)
        #expect(try refusal(of: identity, by: .pinned(root.leaf)) == nil)
    }

    @Test func `refuses an unknown root with 11`() throws {
        let identity = try Sample.server(issuer: Sample.authority())
        let other = try Sample.authority("Other Root")
        let error = try refusal(of: identity, by: .roots([other.leaf]))
        #expect(problem(error) == .unknownRoot(issuer: "CN=Test Root"))
        #expect(error?.networkCode == 11)
    }

    @Test func `refuses a self-signed certificate with the system roots with 11`() throws {
        let error = try refusal(of: Sample.server(), by: .systemRoots)
        #expect(error?.networkCode == 11)
        let beginning = "TLS to localhost: certificate signed by an unknown authority"
        #expect(error?.description.hasPrefix(beginning) == true)
    }

    @Test func `refuses an expired certificate with 7`() throws {
        let root = try Sample.authority()
        let identity = try Sample.expiredServer(issuer: root)
        let error = try refusal(of: identity, by: .roots([root.leaf]))
        #expect(problem(error) == .expired(notAfter: identity.leaf.notAfter))
        #expect(error?.networkCode == 7)
    }

    @Test func `refuses a certificate that is not yet valid with 8`() throws {
        let root = try Sample.authority()
        let identity = try Sample.futureServer(issuer: root)
        let error = try refusal(of: identity, by: .roots([root.leaf]))
        #expect(problem(error) == .notYetValid(notBefore: identity.leaf.notBefore))
        #expect(error?.networkCode == 8)
    }

    @Test(arguments: ["example.org", "sub.localhost", "127.0.0.2", "::2"])
    func `refuses the certificate of another host with 15`(host: String) throws {
        let root = try Sample.authority()
        let identity = try Sample.server(issuer: root)
        let error = try refusal(of: identity, by: .roots([root.leaf]), serverName: host)
        let claimed = ["localhost", "127.0.0.1", "::1"]
        #expect(problem(error) == .wrongName(expected: host, claimed: claimed.sorted(by: order)))
        #expect(error?.networkCode == 15)
    }

    /// The template's own alternative names precede those among its attributes.
    private func order(_ a: String, _ b: String) -> Bool {
        a != "localhost" && b == "localhost"
    }

    @Test func `reports the same one of several problems as LiteCore`() throws {
        let root = try Sample.authority()
        let expired = try Sample.expiredServer(issuer: root)
        let wrongAndExpired = try refusal(
            of: expired,
            by: .roots([root.leaf]),
            serverName: "example.org"
        )
        #expect(wrongAndExpired?.networkCode == 7)
        let all = try refusal(of: expired, by: .roots([]), serverName: "example.org")
        #expect(all?.networkCode == 11)
    }

    @Test func `refuses a client certificate used by a server with 8`() throws {
        let root = try Sample.authority()
        let template = CertificateTemplate(
            attributes: ["CN": "localhost"],
            usages: .clientAuth,
            now: Sample.now
        )
        let identity = try TLSCredential.generate(template, key: .p256, issuer: root)
        #expect(try refusal(of: identity, by: .roots([root.leaf]))?.networkCode == 8)
    }

    @Test func `alternative names of unsupported types are ignored`() throws {
        let key = try Sample.server().key
        let leaf = try OpenSSLCommand.certificate(
            of: key,
            name: "elsewhere",
            alternativeName: "DNS:elsewhere.example,dirName:inside,otherName:1.2.3;UTF8:more",
            sections: "[inside]\nCN=inside"
        )
        #expect(leaf.alternativeNames == [.hostname("elsewhere.example")])
        let identity = try TLSCredential(certificates: [leaf], key: key)
        #expect(
            problem(try refusal(of: identity, by: .roots([leaf])))
                == .wrongName(expected: "localhost", claimed: ["elsewhere.example"])
        )
    }
}

/// Pins, self-signed certificates and call-backs check nothing beyond their own rule.
extension ServerTrustTests {
    @Test func `a pin ignores expiry and name`() throws {
        let identity = try Sample.expiredServer()
        let pin = ServerTrust.pinned(identity.leaf)
        #expect(try refusal(of: identity, by: pin, serverName: "example.org") == nil)
        #expect(try refusal(of: identity, by: pin, serverName: nil) == nil)
    }

    @Test func `a pin of a self-signed certificate holds when it is renewed with its key`() throws {
        let old = try Sample.expiredServer()
        let renewed = try old.renewed(now: Sample.now, notAfter: Sample.now + Sample.day)
        #expect(renewed.leaf != old.leaf)
        #expect(try refusal(of: renewed, by: .pinned(old.leaf)) == nil)
        #expect(try refusal(of: old, by: .pinned(renewed.leaf)) == nil, "as during a restore")
    }

    @Test func `the renewal of a certificate that names its old serial number is its own issuer`()
        throws
    {
        let folder = try TemporaryDirectory()
        try Data(Sample.server().key.pem().utf8).write(to: URL(filePath: folder.file("key")))
        let text = try OpenSSLCommand.run(
            [
                "req", "-x509", "-new", "-days", "30", "-subj", "/CN=localhost",
                "-addext", "subjectKeyIdentifier=hash",
                "-addext", "authorityKeyIdentifier=keyid,issuer:always",
                "-key", folder.file("key"),
            ],
            input: ""
        )
        let old = try TLSCredential(
            certificates: [TLSCertificate(pem: text)],
            key: PrivateKey(pem: String(contentsOfFile: folder.file("key"), encoding: .utf8))
        )
        #expect(old.leaf.isSelfSigned)
        let renewed = try old.renewed(now: Sample.now, notAfter: Sample.now + Sample.day)
        #expect(renewed.leaf.isSelfSigned)
        #expect(try refusal(of: renewed, by: .pinned(old.leaf)) == nil)
    }

    @Test func `a pin of an authority holds when the authority is renewed`() throws {
        let old = try Sample.authority()
        let root = try old.renewed(now: Sample.now, notAfter: Sample.now + Sample.day)
        let identity = try Sample.server(issuer: root)
        #expect(try refusal(of: identity, by: .pinned(old.leaf)) == nil)
    }

    @Test func `a pin refuses another key, another subject, and another issuer`() throws {
        let pinned = try Sample.server()
        let sameNames = try Sample.server()
        let sameKey = try TLSCredential.make(
            CertificateTemplate(
                attributes: ["CN": "other", "dNSName": "localhost"],
                usages: .serverAuth,
                now: Sample.now
            ),
            key: pinned.key
        )
        let signed = try TLSCredential.make(
            CertificateTemplate(
                attributes: ["CN": "server", "dNSName": "localhost"],
                usages: .serverAuth,
                now: Sample.now
            ),
            key: pinned.key,
            issuer: Sample.authority()
        )
        #expect(signed.leaf.subject == pinned.leaf.subject)
        for identity in [sameNames, sameKey, signed] {
            let error = try refusal(of: identity, by: .pinned(pinned.leaf))
            #expect(problem(error) == .notPinned)
        }
    }

    @Test func `a certificate other than the pinned one is refused with 11`() throws {
        let pin = try Sample.server().leaf
        let error = try refusal(of: Sample.server(), by: .pinned(pin))
        #expect(problem(error) == .notPinned)
        #expect(error?.networkCode == 11)
    }

    /// Anybody can have seen the pinned certificate: only its key, or its signature, proves anything.
    @Test func `another certificate sent with the pinned one in its chain is refused with 11`()
        throws
    {
        let pinned = try Sample.server()
        let stranger = try Sample.server()
        let identity = try TLSCredential(
            certificates: [stranger.leaf, pinned.leaf],
            key: stranger.key
        )
        let error = try refusal(of: identity, by: .pinned(pinned.leaf))
        #expect(problem(error) == .notPinned)
        #expect(error?.networkCode == 11)
    }

    @Test(arguments: [true, false])
    func `another authority with the same name as the pinned one is refused`(isShown: Bool) throws {
        let (root, namesake) = (try Sample.authority(), try Sample.authority())
        let stranger = try Sample.server(issuer: namesake)
        let between = isShown ? [namesake.leaf] : []
        let identity = try TLSCredential(
            certificates: [stranger.leaf] + between + [root.leaf],
            key: stranger.key
        )
        #expect(problem(try refusal(of: identity, by: .pinned(root.leaf))) == .notPinned)
    }

    @Test func `a pinned authority ignores expiry, name and purpose of what it signed`() throws {
        let root = try Sample.authority()
        let pin = ServerTrust.pinned(root.leaf)
        let expired = try Sample.expiredServer(issuer: root)
        #expect(try refusal(of: expired, by: pin, serverName: "example.org") == nil)
        #expect(try refusal(of: expired, by: pin, serverName: nil) == nil)
        #expect(try refusal(of: Sample.client(issuer: root), by: pin) == nil)
        let unshown = try Sample.server(issuer: root)
        let alone = try TLSCredential(certificates: [unshown.leaf], key: unshown.key)
        #expect(problem(try refusal(of: alone, by: pin)) == .notPinned)
    }

    @Test func `selfSignedOnly ignores expiry and name`() throws {
        let identity = try Sample.expiredServer()
        #expect(try refusal(of: identity, by: .selfSignedOnly, serverName: "x.org") == nil)
    }

    @Test func `selfSignedOnly refuses a signed certificate with 8`() throws {
        let root = try Sample.authority()
        let identity = try Sample.server(issuer: root)
        let error = try refusal(of: identity, by: .selfSignedOnly)
        #expect(problem(error) == .notSelfSigned(certificateCount: 2))
        #expect(error?.networkCode == 8)

        let alone = try TLSCredential(certificates: [identity.leaf], key: identity.key)
        #expect(try refusal(of: alone, by: .selfSignedOnly)?.networkCode == 8)
    }

    @Test func `selfSignedOnly accepts the certificate of an authority`() throws {
        #expect(try refusal(of: Sample.authority(), by: .selfSignedOnly) == nil)
    }

    @Test func `a callback gets the chain and decides`() throws {
        let identity = try Sample.expiredServer(issuer: Sample.authority())
        let seen = Mutex<[TLSCertificate]>([])
        let accepting = ServerTrust.callback { chain in
            seen.withLock { $0 = chain }
            return true
        }
        #expect(try refusal(of: identity, by: accepting) == nil)
        #expect(seen.withLock { $0 } == identity.certificates)

        let error = try refusal(of: identity, by: .callback { _ in false })
        #expect(problem(error) == .refusedByCallback)
        #expect(error?.networkCode == 8)
    }

    @Test(arguments: ["", "a b", "h\u{0}", "büro.example", String(repeating: "a", count: 254)])
    func `refuses an invalid host name`(host: String) throws {
        let context = try TLSContext.client(ClientTLSConfiguration())
        let error = #expect(throws: TLSError.self) {
            _ = try TLSSession(context, serverName: host)
        }
        #expect(error?.reason == .serverNameInvalid(host))
    }

    @Test func `requires a host name to verify names`() throws {
        let context = try TLSContext.client(ClientTLSConfiguration())
        let error = #expect(throws: TLSError.self) { _ = try TLSSession(context) }
        #expect(error?.reason == .serverNameMissing)
    }
}
