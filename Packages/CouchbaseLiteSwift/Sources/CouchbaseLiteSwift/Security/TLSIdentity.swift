import DivanCrypto
public import DivanTLS
public import Foundation

/// A private key and its certificate chain.
///
/// Identities are stored by label, in files that only their owner can read (``storeDirectory``). Can be used from any
/// thread. An expired identity can still be loaded, but peers reject it.
///
/// Source: `behaviour.md` §14, `tls-and-auth.md` §4.
public final class TLSIdentity: Sendable {
    /// The key and the certificates.
    @_spi(Modern) public let credential: TLSCredential

    /// Wraps a key and certificates.
    @_spi(Modern) public init(_ credential: TLSCredential) {
        self.credential = credential
    }

    /// The certificate chain, the identity's own certificate first.
    public var certs: [SecCertificate] { credential.certificates.map { TLSCertificate($0) } }

    /// When the identity's own certificate expires.
    public var expiration: Date { credential.leaf.notAfter }
}

// MARK: - Kept identities

extension TLSIdentity {
    /// Returns the identity under `label`, or `nil` if it does not exist.
    ///
    /// - Throws: `crypto` (22) if it cannot be read, or if other users can read it.
    public static func identity(withLabel label: String) throws -> TLSIdentity? {
        try identity(withLabel: label, in: IdentityLocation.store)
    }

    /// Deletes the identity under `label`; does nothing if it does not exist.
    ///
    /// - Throws: `crypto` (22) if the file cannot be removed.
    public static func deleteIdentity(withLabel label: String) throws {
        try deleteIdentity(withLabel: label, in: IdentityLocation.store)
    }

    /// Creates a key pair and a certificate, and stores them under `label`.
    ///
    /// Creating the key (RSA, 2048 bits) takes about a tenth of a second.
    ///
    /// - Parameters:
    ///   - keyUsages: The purposes of the certificate.
    ///   - attributes: The subject and its alternative names, with the keys ``certAttrCommonName`` etc.; the common
    ///     name is required.
    ///   - expiration: When the certificate expires; `nil` means in one year.
    ///   - issuer: The issuer; with `nil`, the certificate is self-signed.
    ///   - label: The label for storing the identity.
    /// - Returns: The identity, already stored.
    /// - Throws: `crypto` (22) if the common name is missing, the label is in use, or the issuer is not a CA.
    public static func createIdentity(
        for keyUsages: KeyUsages,
        attributes: [String: String],
        expiration: Date? = nil,
        issuer: TLSIdentity? = nil,
        label: String
    ) throws -> TLSIdentity {
        try createIdentity(
            for: keyUsages,
            attributes: attributes,
            expiration: expiration,
            issuer: issuer,
            label: label,
            in: IdentityLocation.store
        )
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
        try importIdentity(
            withData: data,
            password: password,
            label: label,
            in: IdentityLocation.store
        )
    }

    /// Returns the labels of all stored identities, sorted.
    ///
    /// - Throws: `crypto` (22) if the directory cannot be read.
    public static func labels() throws -> [String] {
        try labels(in: IdentityLocation.store).sorted()
    }
}

// MARK: - Identities in memory

extension TLSIdentity {
    /// Creates an identity from an existing key pair, without storing it.
    ///
    /// `certs` is the certificate chain; it may include the identity's own certificate.
    ///
    /// - Throws: `crypto` (22) if key and certificate do not match.
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

    /// Creates a certificate authority for signing identities, without storing it.
    ///
    /// Key and certificate are DER.
    ///
    /// - Throws: `crypto` (22) if they do not match, or the certificate is not a CA.
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
    /// The directory of stored identities, with one file for each.
    ///
    /// It is created with mode 0700, and files with 0600; less strict modes are rejected. Set it before using the first
    /// identity. The default is `CouchbaseLite/Identities` in the user's data directory, or `$DIVAN_IDENTITY_DIRECTORY`
    /// if set. An addition to the official API.
    public static var storeDirectory: String {
        get { IdentityLocation.directory }
        set { IdentityLocation.directory = newValue }
    }
}
