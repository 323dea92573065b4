import DivanCrypto
import DivanTLS
public import Foundation

/// A private key and its certificate chain.
///
/// Identities are stored under labels in a directory of files that only their owner can read (``storeDirectory``). May
/// be used from any thread. An expired identity still loads; the peer refuses it.
///
/// Source: `behaviour.md` §14, `tls-and-auth.md` §4.
public final class TLSIdentity: Sendable {
    let credential: TLSCredential

    init(_ credential: TLSCredential) {
        self.credential = credential
    }

    /// The chain, the identity's own certificate first.
    public var certs: [SecCertificate] { credential.certificates.map { TLSCertificate($0) } }

    /// When the identity's own certificate expires.
    public var expiration: Date { credential.leaf.notAfter }
}

// MARK: - Kept identities

extension TLSIdentity {
    /// Returns the identity under `label`, or `nil` if it does not exist.
    ///
    /// - Throws: `crypto` (22) when it cannot be read, or when other users could read it too.
    public static func identity(withLabel label: String) throws -> TLSIdentity? {
        try translatingErrors {
            try IdentityPlace.store.credential(label: label).map { TLSIdentity($0) }
        }
    }

    /// Deletes the identity under `label`; does nothing if it does not exist.
    ///
    /// - Throws: `crypto` (22) when the file cannot be removed.
    public static func deleteIdentity(withLabel label: String) throws {
        try translatingErrors { try IdentityPlace.store.delete(label: label) }
    }

    /// Creates a key pair and a certificate, and stores them under `label`.
    ///
    /// Takes about a tenth of a second to create the key (RSA with 2048 bits).
    ///
    /// - Parameters:
    ///   - keyUsages: What the certificate is for.
    ///   - attributes: The subject and its alternative names, keyed by ``certAttrCommonName`` and the like; the common
    ///     name is required.
    ///   - expiration: When the certificate expires; one year from now if `nil`.
    ///   - issuer: The signer; self-signed if `nil`.
    ///   - label: The name under which the identity is stored.
    /// - Returns: The identity, already stored.
    /// - Throws: `crypto` (22) without a common name, with a label in use, or with an issuer that may not sign.
    public static func createIdentity(
        for keyUsages: KeyUsages,
        attributes: [String: String],
        expiration: Date? = nil,
        issuer: TLSIdentity? = nil,
        label: String
    ) throws -> TLSIdentity {
        try translatingErrors {
            try requireFree(label)
            let template = CertificateTemplate(
                attributes: attributes,
                usages: .init(rawValue: UInt8(truncatingIfNeeded: keyUsages.rawValue)),
                now: Date(),
                notAfter: expiration
            )
            let credential = try TLSCredential.generate(template, issuer: issuer?.credential)
            try IdentityPlace.store.save(credential, label: label)
            return TLSIdentity(credential)
        }
    }

    /// Creates a self-signed identity for a server or a client, and stores it under `label`.
    ///
    /// - Throws: `crypto` (22) without a common name or with a label in use.
    @available(
        *,
        deprecated,
        message: "Use createIdentity(for:attributes:expiration:issuer:label:)"
    )
    public static func createIdentity(
        forServer server: Bool,
        attributes: [String: String],
        expiration: Date?,
        label: String
    ) throws -> TLSIdentity {
        try createIdentity(
            for: server ? .serverAuth : .clientAuth,
            attributes: attributes,
            expiration: expiration,
            label: label
        )
    }

    /// Reads a PKCS #12 file and stores its key and chain under `label`.
    ///
    /// - Throws: `crypto` (22) for a wrong password, a damaged file, or a label in use.
    public static func importIdentity(
        withData data: Data,
        password: String?,
        label: String
    ) throws -> TLSIdentity {
        try translatingErrors {
            try requireFree(label)
            let credential = try TLSCredential(pkcs12: Array(data).span, password: password)
            try IdentityPlace.store.save(credential, label: label)
            return TLSIdentity(credential)
        }
    }

    /// The labels of all stored identities, sorted.
    ///
    /// - Throws: `crypto` (22) when the directory cannot be read.
    public static func labels() throws -> [String] {
        try translatingErrors { try IdentityPlace.store.labels().sorted() }
    }

    private static func requireFree(_ label: String) throws {
        guard try IdentityPlace.store.credential(label: label) == nil else {
            throw CredentialError(.labelTaken(label))
        }
    }
}

// MARK: - Identities in memory

extension TLSIdentity {
    /// Wraps a key pair that the program already has; nothing is stored.
    ///
    /// `certs` is the chain above the identity's own certificate, which may be included.
    ///
    /// - Throws: `crypto` (22) when key and certificate do not match.
    public static func identity(
        withIdentity identity: SecIdentity,
        certs: [SecCertificate]?
    ) throws -> TLSIdentity {
        try translatingErrors {
            let leaf = identity.credential.leaf
            let own =
                certs?.map(\.certificate) ?? Array(identity.credential.certificates.dropFirst())
            let chain = [leaf] + own.filter { $0 != leaf }
            return TLSIdentity(
                try TLSCredential(certificates: chain, key: identity.credential.key)
            )
        }
    }

    /// Wraps a certificate authority for signing identities; nothing is stored.
    ///
    /// Both are in DER.
    ///
    /// - Throws: `crypto` (22) when they do not match, or the certificate may not sign others.
    public static func createIssuer(
        withPrivateKey privateKey: Data,
        certificate: Data
    ) throws -> TLSIdentity {
        try translatingErrors {
            let leaf = try DivanTLS.TLSCertificate(der: Array(certificate).span)
            guard leaf.isAuthority else {
                throw CredentialError(.issuerIsNoAuthority(subject: leaf.subject))
            }
            let key = try PrivateKey(der: Array(privateKey).span)
            return TLSIdentity(try TLSCredential(certificates: [leaf], key: key))
        }
    }
}

extension TLSIdentity {
    /// The directory in which identities are stored, one file each.
    ///
    /// Created with mode 0700 when needed, its files with 0600; looser modes are refused. Set it before the first
    /// identity is used. The default is `CouchbaseLite/Identities` in the user's data directory, or
    /// `$DIVAN_IDENTITY_DIRECTORY` if set. An addition to the official API.
    public static var storeDirectory: String {
        get { IdentityPlace.directory }
        set { IdentityPlace.directory = newValue }
    }
}
