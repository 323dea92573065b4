import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Identities under labels: created, found, refused, deleted.
@Suite struct TLSIdentityTests {
    private let label = UUID().uuidString

    init() {
        TestIdentities.use()
    }

    private func make(
        _ attributes: [String: String] = [certAttrCommonName: "ada"]
    ) throws
        -> TLSIdentity
    {
        try TLSIdentity.createIdentity(for: .clientAuth, attributes: attributes, label: label)
    }

    private func code(_ body: () throws -> Void) -> Int {
        do {
            try body()
            return 0
        } catch let error as NSError {
            return error.code
        }
    }

    @Test func `an identity is found by its label and is valid for a year`() throws {
        let made = try make()
        let found = try #require(try TLSIdentity.identity(withLabel: label))
        #expect(found.certs == made.certs)
        #expect(found.certs.first?.commonName == "ada")
        let year: TimeInterval = 365 * 24 * 3_600
        #expect(abs(found.expiration.timeIntervalSinceNow - year) < 120)
        #expect(try TLSIdentity.labels().contains(label))
    }

    @Test func `a deleted identity is not found, and deleting it again succeeds`() throws {
        _ = try make()
        try TLSIdentity.deleteIdentity(withLabel: label)
        try TLSIdentity.deleteIdentity(withLabel: label)
        #expect(try TLSIdentity.identity(withLabel: label) == nil)
    }

    @Test func `creating an identity requires a common name and an unused label`() throws {
        #expect(code { _ = try make([certAttrOrganization: "Divan"]) } == CBLError.crypto)
        _ = try make()
        #expect(code { _ = try make() } == CBLError.crypto)
    }

    @Test func `identity files are readable only by their owner`() throws {
        _ = try make()
        let manager = FileManager.default
        let directory = TLSIdentity.storeDirectory
        let names = try manager.contentsOfDirectory(atPath: directory)
        for name in names {
            let attributes = try manager.attributesOfItem(atPath: directory + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        let attributes = try manager.attributesOfItem(atPath: directory)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test func `an identity without the right to sign cannot be an issuer`() throws {
        let authority = try make()
        #expect(
            code {
                _ = try TLSIdentity.createIdentity(
                    for: .clientAuth,
                    attributes: [certAttrCommonName: "leaf"],
                    issuer: authority,
                    label: UUID().uuidString
                )
            } == CBLError.crypto,
            "an identity without the right to sign must not sign"
        )
    }

    @Test func `data that is not an identity is rejected`() {
        let noise = Data((0..<200).map { UInt8($0) })
        let importCode = code {
            _ = try TLSIdentity.importIdentity(withData: noise, password: "x", label: label)
        }
        let issuerCode = code {
            _ = try TLSIdentity.createIssuer(withPrivateKey: noise, certificate: noise)
        }
        #expect(importCode == CBLError.crypto)
        #expect(issuerCode == CBLError.crypto)
    }

    @Test func `a certificate can be read with Apple's functions`() throws {
        let certificate = try #require(try make().certs.first)
        let der = SecCertificateCopyData(certificate)
        let copy = try #require(SecCertificateCreateWithData(kCFAllocatorDefault, der))
        #expect(copy == certificate)
        var name: CFString?
        #expect(SecCertificateCopyCommonName(copy, &name) == errSecSuccess)
        #expect(name == "ada")
        #expect(SecCertificateCreateWithData(nil, NSData()) == nil)
    }

    @Test func `a certificate converts to DER and PEM and back`() throws {
        let certificate = try #require(try make().certs.first)
        #expect(try TLSCertificate(der: certificate.der) == certificate)
        #expect(try TLSCertificate(pem: certificate.pem) == certificate)
        #expect(certificate.isSelfSigned)
        #expect(certificate.sha256Fingerprint.count == 64)
    }
}
