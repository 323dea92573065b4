import DivanCrypto
import DivanTLS
import DivanTestKit
import Foundation
import Testing

/// Parsing certificates, and making them as specified in `tls-and-auth.md` §4.
@Suite struct CertificateTests {
    let now = Date(timeIntervalSince1970: 1_800_000_000.25)

    func credential(
        _ attributes: [String: String],
        usages: CertificateTemplate.Usages = .serverAuth,
        issuer: TLSCredential? = nil
    ) throws -> TLSCredential {
        let template = CertificateTemplate(attributes: attributes, usages: usages, now: now)
        return try TLSCredential.generate(template, key: .p256, issuer: issuer)
    }

    @Test func `a new identity has the documented fields`() throws {
        let leaf = try credential(["CN": "jukebox"]).leaf
        #expect(leaf.subject == "CN=jukebox")
        #expect(leaf.issuer == "CN=jukebox")
        #expect(leaf.commonName == "jukebox")
        #expect(leaf.isSelfSigned)
        #expect(!leaf.isAuthority)
        #expect(leaf.notBefore == Date(timeIntervalSince1970: 1_799_999_940))
        #expect(leaf.notAfter == leaf.notBefore + 31_536_000)
        #expect(UInt64(leaf.serialNumber, radix: 16) == 1_800_000_000_250)
    }

    @Test func `a new identity has a 2,048-bit RSA key by default`() throws {
        let template = CertificateTemplate(attributes: ["CN": "x"], usages: .serverAuth, now: now)
        let credential = try TLSCredential.generate(template)
        #expect(credential.key.kind == .rsa(bitCount: 2_048))
    }

    @Test func `the extensions match the documentation, as read by openssl`() throws {
        let server = try credential(["CN": "x", "dNSName": "h"])
        let text = try OpenSSLCommand.run(["x509", "-noout", "-text"], input: server.leaf.pem)
        for expected in [
            "Version: 3", "ecdsa-with-SHA256", "CA:FALSE", "X509v3 Subject Key Identifier",
            "X509v3 Authority Key Identifier", "X509v3 Key Usage: critical", "Digital Signature",
            "SSL Server", "TLS Web Server Authentication", "DNS:h",
        ] {
            #expect(text.contains(expected), "\(expected) in \(text)")
        }
        #expect(!text.contains("Key Encipherment"), "P-256 keys encipher no keys")
        #expect(!text.contains("SSL Client"))

        let both = try credential(["CN": "x"], usages: [.serverAuth, .clientAuth])
        let second = try OpenSSLCommand.run(["x509", "-noout", "-text"], input: both.leaf.pem)
        #expect(second.contains("SSL Client, SSL Server"))
        let extended = "TLS Web Server Authentication, TLS Web Client Authentication"
        #expect(second.contains(extended))
    }

    @Test func `an RSA server key has the key encipherment usage`() throws {
        let template = CertificateTemplate(attributes: ["CN": "x"], usages: .serverAuth, now: now)
        let leaf = try TLSCredential.generate(template).leaf
        let text = try OpenSSLCommand.run(["x509", "-noout", "-text"], input: leaf.pem)
        #expect(text.contains("Digital Signature, Key Encipherment"))
        #expect(text.contains("sha256WithRSAEncryption"))
    }

    @Test func `all attributes are stored in the right fields`() throws {
        let subject = [
            "CN": "Ada, Countess", "pseudonym": "AL", "GN": "Ada", "SN": "Lovelace",
            "O": "Analytical", "OU": "Engines", "postalAddress": "St James's Square 12",
            "L": "London", "postalCode": "SW1Y", "ST": "Middlesex", "C": "GB",
        ]
        let alternative = [
            "rfc822Name": "ada@example.org", "dNSName": "ada.example.org",
            "uniformResourceIdentifier": "https://example.org/ada", "iPAddress": "2001:db8::1",
            "registeredID": "1.2.3.4",
        ]
        let both = subject.merging(alternative) { first, _ in first }
        let leaf = try credential(both).leaf
        #expect(leaf.subject.hasPrefix(#"CN=Ada\, Countess, pseudonym=AL, GN=Ada, SN=Lovelace"#))
        let found = leaf.subjectAttributes.map { ($0.type, $0.value) }
        #expect(Dictionary(found) { first, _ in first } == subject)
        #expect(
            Set(leaf.alternativeNames) == [
                .email("ada@example.org"), .hostname("ada.example.org"),
                .url("https://example.org/ada"), .ipAddress("2001:db8::1"),
                .registeredID("1.2.3.4"),
            ]
        )
    }

    @Test func `attributes that Couchbase Lite accepts are accepted`() throws {
        let subject = [
            "CN": String(repeating: "n", count: 100), "C": "GBR",
            "O": String(repeating: "ö", count: 127),
        ]
        let leaf = try credential(
            subject.merging(["dNSName": "bücher.de", "rfc822Name": "ada @example.org"]) { $1 }
        ).leaf
        let found = leaf.subjectAttributes.map { ($0.type, $0.value) }
        #expect(Dictionary(found) { first, _ in first } == subject)
        #expect(
            Set(leaf.alternativeNames) == [.hostname("bücher.de"), .email("ada @example.org")]
        )
        let long = String(repeating: "n", count: 256)
        #expect(throws: CredentialError.self) { _ = try credential(["CN": long]) }
    }

    @Test(arguments: [
        (["O": "x"], CredentialError.Reason.missingCommonName),
        (["CN": ""], .missingCommonName),
        (["CN": "x", "color": "red"], .unknownAttribute("color")),
        (["CN": "x", "C": ""], .invalidAttribute(name: "C", value: "")),
        (["CN": "x", "dNSName": "a\nb"], .invalidAttribute(name: "dNSName", value: "a\nb")),
        (["CN": "x", "dNSName": ""], .invalidAttribute(name: "dNSName", value: "")),
        (["CN": "x", "iPAddress": "1.2.3"], .invalidAttribute(name: "iPAddress", value: "1.2.3")),
        (["CN": "x", "registeredID": "y"], .invalidAttribute(name: "registeredID", value: "y")),
    ])
    func `invalid attributes are refused`(
        attributes: [String: String],
        reason: CredentialError.Reason
    ) {
        let error = #expect(throws: CredentialError.self) { _ = try credential(attributes) }
        #expect(error?.reason == reason)
    }

    @Test func `an empty validity period is refused`() {
        var template = CertificateTemplate(attributes: ["CN": "x"], usages: .serverAuth, now: now)
        template.notAfter = template.notBefore
        let error = #expect(throws: CredentialError.self) {
            _ = try TLSCredential.generate(template, key: .p256)
        }
        let (start, end) = (template.notBefore, template.notAfter)
        #expect(error?.reason == .emptyValidity(notBefore: start, notAfter: end))
    }

    @Test func `an issuer signs, and its chain is appended`() throws {
        let root = try Sample.authority()
        let issued = try credential(["CN": "leaf"], issuer: root)
        #expect(issued.certificates == [issued.leaf, root.leaf])
        #expect(issued.leaf.issuer == root.leaf.subject)
        #expect(!issued.leaf.isSelfSigned)
        #expect(root.leaf.isAuthority)

        let error = #expect(throws: CredentialError.self) {
            _ = try credential(["CN": "grandchild"], issuer: issued)
        }
        #expect(error?.reason == .issuerIsNoAuthority(subject: "CN=leaf"))
    }
}

/// DER and PEM, reading and writing, and invalid input.
extension CertificateTests {
    @Test func `DER and PEM round-trip`() throws {
        let leaf = try Sample.server().leaf
        #expect(try TLSCertificate(der: leaf.derBytes.span) == leaf)
        #expect(try TLSCertificate(pem: "a comment\n" + leaf.pem) == leaf)
        #expect(leaf.pem.split(separator: "\n").allSatisfy { $0.utf8.count <= 64 })
    }

    @Test func `all certificates of a PEM text are returned in order`() throws {
        let chain = [try Sample.server().leaf, try Sample.client().leaf, try Sample.server().leaf]
        let pem = chain.map(\.pem).joined(separator: "between\n")
        #expect(try TLSCertificate.certificates(pem: pem) == chain)
        #expect(try TLSCertificate.certificates(pem: "nothing here") == [])
    }

    @Test func `the fingerprint matches the output of openssl`() throws {
        let leaf = try Sample.server().leaf
        let arguments = ["x509", "-noout", "-fingerprint", "-sha256"]
        let printed = try OpenSSLCommand.run(arguments, input: leaf.pem)
        let digits = printed.split(separator: "=")[1].filter(\.isHexDigit).lowercased()
        #expect(leaf.sha256Fingerprint == digits)
    }

    /// OpenSSL would ask a person for the password, on the terminal or standard input.
    @Test(.timeLimit(.minutes(5)))
    func `an encrypted certificate is refused without asking for its password`() throws {
        let text = """
            -----BEGIN CERTIFICATE-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF

            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
            -----END CERTIFICATE-----

            """
        #expect(throws: CredentialError.self) { _ = try TLSCertificate.certificates(pem: text) }
        #expect(throws: CredentialError.self) { _ = try TLSCertificate(pem: text) }
    }

    @Test func `bytes after a certificate are refused`() throws {
        let der = try Sample.server().leaf.derBytes + [0]
        let error = #expect(throws: CredentialError.self) { _ = try TLSCertificate(der: der.span) }
        #expect(error?.reason == .notACertificate(code: 0))
    }

    @Test func `a certificate above the size limit is refused`() {
        let bytes = [UInt8](repeating: 0x30, count: TLSLimits.certificateByteCount + 1)
        let error = #expect(throws: CredentialError.self) {
            _ = try TLSCertificate(der: bytes.span)
        }
        let limit = TLSLimits.certificateByteCount
        #expect(error?.reason == .tooLarge(byteCount: limit + 1, limit: limit))
    }

    @Test func `a damaged PEM block is refused`() {
        let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect(throws: CredentialError.self) { _ = try TLSCertificate.certificates(pem: pem) }
        let error = #expect(throws: CredentialError.self) { _ = try TLSCertificate(pem: "") }
        #expect(error?.reason == .noCertificate)
    }

    @Test(arguments: UInt64(0)..<300)
    func `damaged certificates are parsed or refused, and never trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var der = try Sample.server().leaf.derBytes
        for _ in 0..<3 {
            let damaged = Int.random(in: der.indices, using: &generator)
            der[damaged] = UInt8.random(in: 0...255, using: &generator)
        }
        guard let certificate = try? TLSCertificate(der: der.span) else { return }
        _ = "\(certificate) \(certificate.issuer) \(certificate.alternativeNames)"
        _ = (certificate.isSelfSigned, certificate.isAuthority, certificate.serialNumber)
        #expect(certificate.derBytes == der, "seed \(seed)")
    }
}
