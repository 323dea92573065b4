import DivanCrypto
import DivanTLS
import Foundation
import Testing

/// Credentials as PEM and PKCS #12, ours and OpenSSL's.
@Suite struct CredentialTests {
    @Test func `PEM restores chain and key`() throws {
        let credential = try Sample.server(issuer: Sample.authority())
        let plain = try TLSCredential(pem: credential.pem())
        #expect(plain == credential && plain.key == credential.key)

        let pem = try credential.pem(password: "secret")
        #expect(pem.contains("BEGIN ENCRYPTED PRIVATE KEY"))
        #expect(try TLSCredential(pem: pem, password: "secret") == credential)
        #expect(throws: CredentialError.self) { _ = try TLSCredential(pem: pem) }
        #expect(throws: CredentialError.self) { _ = try TLSCredential(pem: pem, password: "no") }
    }

    @Test func `a PEM without a key or without a certificate is refused`() throws {
        let credential = try Sample.server()
        let onlyCertificate = #expect(throws: CredentialError.self) {
            _ = try TLSCredential(pem: credential.leaf.pem)
        }
        #expect(onlyCertificate?.reason == .noPrivateKey)
        let key = try credential.key.pem()
        let onlyKey = #expect(throws: CredentialError.self) { _ = try TLSCredential(pem: key) }
        #expect(onlyKey?.reason == .noCertificate)
    }

    @Test func `a key that does not match the certificate is refused`() throws {
        let (one, other) = (try Sample.server(), try Sample.server())
        let error = #expect(throws: CredentialError.self) {
            _ = try TLSCredential(certificates: [one.leaf], key: other.key)
        }
        #expect(error?.reason == .keyMismatch(subject: one.leaf.subject))
    }

    @Test func `PKCS #12 restores chain and key`() throws {
        let credential = try Sample.server(issuer: Sample.authority())
        let file = try credential.pkcs12(password: "secret", name: "jukebox")
        let read = try TLSCredential(pkcs12: file.span, password: "secret")
        #expect(read == credential && read.key == credential.key)
    }

    @Test(arguments: [nil, "", "wrong"])
    func `a wrong PKCS #12 password is distinguished from an invalid file`(password: String?) throws
    {
        let file = try Sample.server().pkcs12(password: "secret", name: "x")
        let error = #expect(throws: CredentialError.self) {
            _ = try TLSCredential(pkcs12: file.span, password: password)
        }
        #expect(error?.reason == .wrongPassword)

        let noFile = #expect(throws: CredentialError.self) {
            _ = try TLSCredential(pkcs12: [1, 2, 3].span, password: password)
        }
        guard case .notPKCS12 = noFile?.reason else {
            Issue.record("\(String(describing: noFile))")
            return
        }
    }

    @Test func `openssl reads our PKCS #12 files, and we read its files`() throws {
        let credential = try Sample.server(issuer: Sample.authority())
        let ours = try credential.pkcs12(password: "secret", name: "jukebox")
        let listed = try OpenSSLCommand.run(
            ["pkcs12", "-nodes", "-passin", "pass:secret"],
            inputBytes: Data(ours)
        )
        #expect(listed.contains("friendlyName: jukebox"))
        #expect(try TLSCredential(pem: listed) == credential)

        let theirs = try OpenSSLCommand.output(
            ["pkcs12", "-export", "-passout", "pass:secret"],
            inputBytes: Data(try credential.pem().utf8)
        )
        let read = try TLSCredential(pkcs12: [UInt8](theirs).span, password: "secret")
        #expect(read == credential)
    }

    @Test(arguments: [
        ["-legacy"], ["-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES"],
        ["-legacy", "-keypbe", "PBE-SHA1-RC2-40"], ["-legacy", "-keypbe", "NONE"],
        ["-legacy", "-certpbe", "AES-256-CBC", "-keypbe", "PBE-SHA1-RC2-40"],
    ])
    func `a PKCS #12 file with retired ciphers can be opened, as exported by keychains`(
        protection: [String]
    ) throws {
        let root = try Sample.authority()
        let credential = try Sample.server(issuer: root)
        let old = try OpenSSLCommand.output(
            ["pkcs12", "-export", "-passout", "pass:secret", "-macalg", "sha1"] + protection,
            inputBytes: Data(try credential.pem().utf8)
        )
        let read = try TLSCredential(pkcs12: [UInt8](old).span, password: "secret")
        #expect(read == credential)
        let pair = try SessionPair(
            client: ClientTLSConfiguration(serverTrust: .roots([root.leaf])),
            server: ServerTLSConfiguration(credential: read)
        )
        pair.run()
        #expect(pair.client.state == .open && pair.server.state == .open)
        let error = #expect(throws: CredentialError.self) {
            _ = try TLSCredential(pkcs12: [UInt8](old).span, password: "wrong")
        }
        #expect(error?.reason == .wrongPassword)
    }

    @Test func `a description never shows the key`() throws {
        let credential = try Sample.server()
        #expect("\(credential)".contains("CN=server"))
        let secret = Data(try credential.key.pkcs8DER()).base64EncodedString()
        #expect(!"\(credential) \(String(reflecting: credential))".contains(secret.prefix(20)))
    }

    @Test(arguments: [nil, ""] as [String?])
    func `retired ciphers can also be opened without a password`(password: String?) throws {
        let credential = try Sample.server()
        let old = try OpenSSLCommand.output(
            ["pkcs12", "-export", "-legacy", "-passout", "pass:"],
            inputBytes: Data(try credential.pem().utf8)
        )
        #expect(try TLSCredential(pkcs12: [UInt8](old).span, password: password) == credential)
    }
}
