public import DivanTLS
public import Foundation

// Identities in a store of the application, such as a keyring or a hardware module; additions to the official API.
// Conform to `TLSIdentityStore` of DivanTLS, and test the store with `IdentityStoreContract`.
extension TLSIdentity {
    /// Returns the identity under `label` in a custom store, or `nil` if it does not exist.
    ///
    /// - Throws: `crypto` (22) if it is damaged, and the errors of the store.
    public static func identity(
        withLabel label: String,
        in store: any TLSIdentityStore
    ) throws -> TLSIdentity? {
        try translatingErrors { try store.credential(label: label).map { TLSIdentity($0) } }
    }

    /// Deletes the identity under `label` in a custom store; does nothing if it does not exist.
    ///
    /// - Throws: The errors of the store.
    public static func deleteIdentity(
        withLabel label: String,
        in store: any TLSIdentityStore
    ) throws {
        try translatingErrors { try store.delete(label: label) }
    }

    /// Creates a key pair and a certificate, and stores them under `label` in a custom store.
    ///
    /// The parameters are those of ``createIdentity(for:attributes:expiration:issuer:label:)``.
    ///
    /// - Throws: `crypto` (22) if the common name is missing, the label is in use, or the issuer is not a CA; the errors
    ///   of the store.
    public static func createIdentity(
        for keyUsages: KeyUsages,
        attributes: [String: String],
        expiration: Date? = nil,
        issuer: TLSIdentity? = nil,
        label: String,
        in store: any TLSIdentityStore
    ) throws -> TLSIdentity {
        try translatingErrors {
            try requireFree(label, in: store)
            let template = CertificateTemplate(
                attributes: attributes,
                usages: .init(rawValue: UInt8(truncatingIfNeeded: keyUsages.rawValue)),
                now: Date(),
                notAfter: expiration
            )
            let credential = try TLSCredential.generate(template, issuer: issuer?.credential)
            try store.save(credential, label: label)
            return TLSIdentity(credential)
        }
    }

    /// Reads a PKCS #12 file and stores its key and chain under `label` in a custom store.
    ///
    /// - Throws: `crypto` (22) for a wrong password, a damaged file, or a label in use; the errors of the store.
    public static func importIdentity(
        withData data: Data,
        password: String?,
        label: String,
        in store: any TLSIdentityStore
    ) throws -> TLSIdentity {
        try translatingErrors {
            try requireFree(label, in: store)
            let credential = try TLSCredential(pkcs12: Array(data).span, password: password)
            try store.save(credential, label: label)
            return TLSIdentity(credential)
        }
    }

    /// Returns the labels of all identities in a custom store, sorted by bytes.
    ///
    /// - Throws: The errors of the store.
    public static func labels(in store: any TLSIdentityStore) throws -> [String] {
        try translatingErrors { try store.labels() }
    }

    private static func requireFree(_ label: String, in store: any TLSIdentityStore) throws {
        guard try store.credential(label: label) == nil else {
            throw CredentialError(.labelTaken(label))
        }
    }
}
