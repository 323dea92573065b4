import CDivanTLS
public import DivanCrypto
public import FoundationEssentials

/// A certificate chain and the private key of its leaf, with which a peer authenticates itself.
///
/// The key is checked to belong to the leaf. Can be used from any thread. The description contains the leaf and
/// never the key.
public struct TLSCredential: Sendable {
    /// The chain, leaf first.
    public let certificates: [TLSCertificate]
    /// The certificate to which `key` belongs; the first of `certificates`.
    public let leaf: TLSCertificate
    /// The leaf's private key.
    public let key: PrivateKey

    /// Creates a credential from a chain, leaf first, and its key.
    ///
    /// - Throws: `CredentialError` if the chain is empty or the key belongs to another leaf.
    public init(certificates: [TLSCertificate], key: PrivateKey) throws(CredentialError) {
        guard let leaf = certificates.first else { throw CredentialError(.noCertificate) }
        let handle = try KeyHandle(key)
        OpenSSLFailure.clear()
        defer { OpenSSLFailure.clear() }
        guard X509_check_private_key(leaf.handle.pointer, handle.pointer) == 1 else {
            throw CredentialError(.keyMismatch(subject: leaf.subject))
        }
        self.certificates = certificates
        self.leaf = leaf
        self.key = key
    }

    /// Creates a key and a certificate for it.
    ///
    /// The key is RSA with 2,048 bits by default, because LiteCore supports only RSA keys; this takes about a tenth
    /// of a second, P-256 less than a millisecond. If there is an issuer, it signs the certificate and its chain is
    /// appended; otherwise the certificate is self-signed.
    ///
    /// - Throws: `CredentialError` for invalid attributes, an empty validity, or an issuer that is not an
    ///   authority.
    public static func generate(
        _ template: CertificateTemplate,
        key kind: PrivateKey.Kind = .rsa(bitCount: 2_048),
        issuer: TLSCredential? = nil
    ) throws(CredentialError) -> TLSCredential {
        let key: PrivateKey
        do {
            key = try PrivateKey.generate(kind)
        } catch {
            throw CredentialError(.unusableKey(error))
        }
        return try make(template, key: key, issuer: issuer)
    }

    /// Creates a certificate for an existing key; otherwise like `generate(_:key:issuer:)`.
    public static func make(
        _ template: CertificateTemplate,
        key: PrivateKey,
        issuer: TLSCredential? = nil
    ) throws(CredentialError) -> TLSCredential {
        if let issuer, !issuer.leaf.isAuthority {
            throw CredentialError(.issuerIsNoAuthority(subject: issuer.leaf.subject))
        }
        let signer = CertificateSigner(template: template, key: key, issuer: issuer)
        let leaf = try signer.makeCertificate()
        let chain = [leaf] + (issuer?.certificates ?? [])
        return try TLSCredential(certificates: chain, key: key)
    }

    /// The same identity with another validity; the key, the names and the usages do not change.
    ///
    /// Peers of Divan that pinned a self-signed certificate accept its renewal (`TLSCertificate.matches(pin:)`); other
    /// software may compare whole certificates. Certificates signed by an authority stay valid after it is renewed,
    /// because its key and name are the same.
    ///
    /// - Parameters:
    ///   - now: The time of creation; the serial number and the start of the validity are derived from it.
    ///   - notAfter: The end of the validity, rounded down to a second.
    ///   - issuer: The issuer of the old certificate; `nil` if it was self-signed.
    /// - Returns: The new certificate, with the issuer's chain and the same key.
    /// - Throws: `CredentialError` for an empty validity, and `issuerIsNoAuthority` for an issuer that is not an
    ///   authority, or not the same issuer.
    public func renewed(
        now: Date,
        notAfter: Date,
        issuer: TLSCredential? = nil
    ) throws(CredentialError) -> TLSCredential {
        let signer = issuer?.leaf ?? leaf
        let isOwn = issuer == nil && leaf.isSelfSigned
        guard isOwn || (signer.isAuthority && signer.subject == leaf.issuer) else {
            throw CredentialError(.issuerIsNoAuthority(subject: signer.subject))
        }
        let template = CertificateTemplate(
            attributes: [:],
            usages: [],
            now: now,
            notAfter: notAfter
        )
        let renewal = try CertificateSigner(template: template, key: key, issuer: issuer)
            .makeRenewal(of: leaf)
        return try TLSCredential(
            certificates: [renewal] + (issuer?.certificates ?? []),
            key: key
        )
    }

    /// Parses PEM text with the chain, leaf first, and the leaf's key, in any order.
    ///
    /// `password` decrypts an encrypted key.
    ///
    /// - Throws: `CredentialError` if a part is missing or malformed, or does not match.
    public init(pem: String, password: String? = nil) throws(CredentialError) {
        let certificates = try TLSCertificate.certificates(pem: pem)
        guard pem.contains("PRIVATE KEY-----") else { throw CredentialError(.noPrivateKey) }
        let key: PrivateKey
        do {
            key = try PrivateKey(pem: pem, password: password)
        } catch {
            throw CredentialError(.unusableKey(error))
        }
        try self.init(certificates: certificates, key: key)
    }

    /// The key and the chain as PEM, the key first; encrypted if there is a password.
    ///
    /// - Throws: `CredentialError` if memory is low.
    public func pem(password: String? = nil) throws(CredentialError) -> String {
        do {
            return try key.pem(password: password) + certificates.map(\.pem).joined()
        } catch {
            throw CredentialError(.unusableKey(error))
        }
    }
}

extension TLSCredential: Equatable {
    /// Compares the chains; the same leaf implies the same key.
    public static func == (a: TLSCredential, b: TLSCredential) -> Bool {
        a.certificates == b.certificates
    }
}

extension TLSCredential: CustomStringConvertible {
    /// The leaf and the kind of key.
    public var description: String { "\(leaf), \(key)" }
}
