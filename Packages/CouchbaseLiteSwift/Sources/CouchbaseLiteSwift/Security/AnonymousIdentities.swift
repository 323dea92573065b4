import DivanCrypto
import DivanTLS
import Foundation

/// The identities of listeners that were given none: self-signed, persistent, one for each database.
///
/// Source: `tls-and-auth.md` §4.
enum AnonymousIdentities {
    private static let labelPrefix = "CBL-ANON-"

    /// Returns the identity of the database with this public UUID, creating it if needed.
    static func identity(
        forDatabase publicUUID: [UInt8],
        in store: any TLSIdentityStore
    ) throws -> TLSIdentity {
        let label = labelPrefix + Hex.encode(publicUUID.span)
        return TLSIdentity(
            try AnonymousIdentity.credential(in: store, label: label, now: Date())
        )
    }

    /// Deletes the anonymous identities of all databases.
    static func deleteAll() throws {
        let store = IdentityLocation.store
        for label in try store.labels() where label.hasPrefix(labelPrefix) {
            try store.delete(label: label)
        }
    }
}
