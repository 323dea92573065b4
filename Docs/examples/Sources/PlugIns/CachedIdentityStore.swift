public import DivanTLS
import Synchronization

/// Caches the identities of a slow store, such as one on a network.
public final class CachedIdentityStore: TLSIdentityStore {
    private let inner: any TLSIdentityStore
    /// Keyed by bytes, as labels are compared.
    private let known = Mutex<[[UInt8]: TLSCredential]>([:])

    /// Creates a cache for the store `inner`.
    public init(_ inner: any TLSIdentityStore) { self.inner = inner }

    /// Reads an identity from the inner store if it is not cached.
    public func credential(label: String) throws -> TLSCredential? {
        if let credential = known.withLock({ $0[Array(label.utf8)] }) { return credential }
        let credential = try inner.credential(label: label)
        known.withLock { $0[Array(label.utf8)] = credential }
        return credential
    }

    /// Saves it to the inner store first, so that every cached identity survives a crash.
    public func save(_ credential: TLSCredential, label: String) throws {
        try inner.save(credential, label: label)
        known.withLock { $0[Array(label.utf8)] = credential }
    }

    /// Removes it from the cache first, so that a deleted identity is never returned.
    public func delete(label: String) throws {
        known.withLock { $0[Array(label.utf8)] = nil }
        try inner.delete(label: label)
    }

    /// The labels of the inner store.
    public func labels() throws -> [String] { try inner.labels() }
}
