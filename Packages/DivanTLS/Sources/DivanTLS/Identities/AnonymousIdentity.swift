public import DivanCrypto
public import FoundationEssentials
import Synchronization

/// The default identity of a listener: self-signed, and stored so that clients can pin it.
///
/// Source: `tls-and-auth.md` §4.
public enum AnonymousIdentity {
    /// The subject's common name, the same as in Couchbase Lite.
    public static let commonName = "CBLAnonymousCertificate"
    /// The remaining validity in seconds below which the identity is renewed: one day.
    public static let renewalThreshold: TimeInterval = 86_400

    /// Returns the identity with `label`; creates it if it is missing or about to expire.
    ///
    /// A renewed identity has the same key, so Divan's peers that pinned the old one accept it
    /// (`TLSCertificate.matches(pin:)`).
    ///
    /// If several processes start at the same time, all get the identity that was saved first. An identity that is
    /// about to expire is used until it is replaced, also if nothing can be written.
    ///
    /// The owner of the database derives `label` from its public UUID. The key of a new identity is RSA by default,
    /// because LiteCore supports only RSA keys.
    ///
    /// - Throws: The store's errors, and `CredentialError`.
    public static func credential(
        in store: some TLSIdentityStore,
        label: String,
        now: Date,
        key kind: PrivateKey.Kind = .rsa(bitCount: 2_048)
    ) throws -> TLSCredential {
        let kept = try store.credential(label: label)
        if let kept, isFresh(kept, now) { return kept }
        let made = try renewal(of: kept, now) ?? new(now, key: kind)
        // If several threads of this process create one at the same time, the first wins.
        return try renewing.withLock { _ in
            guard let kept else {
                try save(made, in: store, label: label)
                return try store.credential(label: label) ?? made
            }
            // Making a key takes a while: another thread or process may have been faster.
            if let other = try store.credential(label: label), isFresh(other, now) { return other }
            do {
                try store.replace(made, label: label)
            } catch  where kept.leaf.notAfter > now {
                return kept
            }
            return try store.credential(label: label) ?? made
        }
    }

    /// The same identity for another year; `nil` if there is none, or another authority has signed it.
    private static func renewal(of kept: TLSCredential?, _ now: Date) throws -> TLSCredential? {
        guard let kept, kept.leaf.isSelfSigned else { return nil }
        return try kept.renewed(now: now, notAfter: template(now).notAfter)
    }

    private static func new(_ now: Date, key kind: PrivateKey.Kind) throws -> TLSCredential {
        try TLSCredential.generate(template(now), key: kind)
    }

    private static func template(_ now: Date) -> CertificateTemplate {
        CertificateTemplate(attributes: ["CN": commonName], usages: .serverAuth, now: now)
    }

    private static let renewing = Mutex(())

    private static func isFresh(_ credential: TLSCredential, _ now: Date) -> Bool {
        credential.leaf.notAfter - renewalThreshold >= now
    }

    /// Saves an identity unless another one has already been saved.
    private static func save(
        _ made: TLSCredential,
        in store: some TLSIdentityStore,
        label: String
    ) throws {
        do {
            try store.save(made, label: label)
        } catch let error as CredentialError where error.reason == .labelTaken(label) {
            return
        }
    }
}
