import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// `api-map.md` §13 and §0.2.
@Suite(.serialized) struct IdentityDeclarations {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        TLSIdentity.storeDirectory = directory.file("identities")
    }

    @Test func `TLSIdentity has its official members`() {
        let _: KeyPath<TLSIdentity, [SecCertificate]> = \.certs
        let _: KeyPath<TLSIdentity, Date> = \.expiration
        let _: (String) throws -> TLSIdentity? = TLSIdentity.identity(withLabel:)
        let _: (SecIdentity, [SecCertificate]?) throws -> TLSIdentity =
            TLSIdentity.identity(withIdentity:certs:)
        let _: (KeyUsages, [String: String], Date?, TLSIdentity?, String) throws -> TLSIdentity =
            TLSIdentity.createIdentity(for:attributes:expiration:issuer:label:)
        let _: (Data, String?, String) throws -> TLSIdentity =
            TLSIdentity.importIdentity(withData:password:label:)
        let _: (Data, Data) throws -> TLSIdentity =
            TLSIdentity.createIssuer(withPrivateKey:certificate:)
        let _: (String) throws -> Void = TLSIdentity.deleteIdentity(withLabel:)
        let usages: KeyUsages = [.clientAuth, .serverAuth]
        #expect(usages.rawValue == 0xC0)
        #expect(KeyUsages.clientAuth.rawValue == 0x80 && KeyUsages.serverAuth.rawValue == 0x40)
    }

    @Test func `the attribute keys have their official values`() {
        let keys: [String] = [
            certAttrCommonName, certAttrPseudonym, certAttrGivenName, certAttrSurname,
            certAttrOrganization, certAttrOrganizationUnit, certAttrPostalAddress,
            certAttrLocality, certAttrPostalCode, certAttrStateOrProvince, certAttrCountry,
            certAttrEmailAddress, certAttrHostname, certAttrURL, certAttrIPAddress,
            certAttrRegisteredID,
        ]
        #expect(
            keys == [
                "CN", "pseudonym", "GN", "SN", "O", "OU", "postalAddress", "L", "postalCode", "ST",
                "C", "rfc822Name", "dNSName", "uniformResourceIdentifier", "iPAddress",
                "registeredID",
            ]
        )
    }

    @Test func `identities are created, found and deleted, and invalid ones throw crypto`() throws {
        let attributes = [certAttrCommonName: "CBL-Server", certAttrOrganization: "Divan"]
        let usage = KeyUsages.serverAuth
        #expect(try TLSIdentity.identity(withLabel: "label") == nil)
        let made = try TLSIdentity.createIdentity(
            for: usage,
            attributes: attributes,
            label: "label"
        )
        #expect(made.certs.count == 1)
        let year = made.expiration.timeIntervalSinceNow / 86_400
        #expect(year > 363 && year < 367)
        #expect(try TLSIdentity.identity(withLabel: "label")?.certs == made.certs)
        let again = code {
            _ = try TLSIdentity.createIdentity(for: usage, attributes: attributes, label: "label")
        }
        let nameless = code {
            _ = try TLSIdentity.createIdentity(for: usage, attributes: [:], label: "other")
        }
        #expect(again == CBLError.crypto && nameless == CBLError.crypto)
        try TLSIdentity.deleteIdentity(withLabel: "label")
        try TLSIdentity.deleteIdentity(withLabel: "label")
        #expect(try TLSIdentity.identity(withLabel: "label") == nil)
        let older: Older = IdentityCode()
        try older.run()
    }

    @Test func `Apple's functions and types compile`() throws {
        let identity = try TLSIdentity.createIdentity(
            for: .serverAuth,
            attributes: [certAttrCommonName: "Apple"],
            label: "apple"
        )
        let certificate: SecCertificate = identity.certs[0]
        let data: CFData = SecCertificateCopyData(certificate)
        let der: NSData = data
        #expect(SecCertificateCreateWithData(nil, der) == certificate)
        #expect(SecCertificateCreateWithData(kCFAllocatorDefault, data) == certificate)
        #expect(SecCertificateCreateWithData(nil, NSData(data: Data([1, 2]))) == nil)
        var name: CFString?
        let status = SecCertificateCopyCommonName(certificate, &name)
        #expect(status == errSecSuccess)
        #expect(name as String? == "Apple")
        #expect((data as Data) == certificate.der)
    }
}

private struct IdentityCode: Older {
    @available(*, deprecated)
    func run() throws {
        let _: (Bool, [String: String], Date?, String) throws -> TLSIdentity =
            TLSIdentity.createIdentity(forServer:attributes:expiration:label:)
        let identity = try TLSIdentity.createIdentity(
            forServer: true,
            attributes: [certAttrCommonName: "old"],
            expiration: Date(timeIntervalSinceNow: 3_600),
            label: "older"
        )
        #expect(identity.expiration.timeIntervalSinceNow < 3_601)
    }
}
