public import DivanCrypto
public import FoundationEssentials

/// The identity of a listener that was given none: self-signed, kept, so that clients may pin it.
///
/// Source: `tls-and-auth.md` §4.
public enum AnonymousIdentity {
    /// The subject's common name, the one that Couchbase Lite uses.
    public static let commonName = "CBLAnonymousCertificate"
    /// Seconds of validity below which the identity is made anew: one day.
    public static let renewalThreshold: TimeInterval = 86_400

    /// Returns the identity under `label`, made now when it is missing or about to expire.
    ///
    /// Of several processes that start at once, all get the identity of the one that saves first.
    ///
    /// The owner of the database makes `label` from its public UUID. The key is RSA unless told
    /// otherwise: LiteCore holds RSA keys only.
    ///
    /// - Throws: What the store throws, and `CredentialError`.
    public static func credential(
        in store: some TLSIdentityStore,
        label: String,
        now: Date,
        key kind: PrivateKey.Kind = .rsa(bitCount: 2_048)
    ) throws -> TLSCredential {
        if let kept = try store.credential(label: label) {
            guard kept.leaf.notAfter - renewalThreshold < now else { return kept }
            try store.delete(label: label)
        }
        let template = CertificateTemplate(
            attributes: ["CN": commonName],
            usages: .serverAuth,
            now: now
        )
        let made = try TLSCredential.generate(template, key: kind)
        do {
            try store.save(made, label: label)
        } catch let error as CredentialError where error.reason == .labelTaken(label) {
            return try store.credential(label: label) ?? made
        }
        return made
    }
}
