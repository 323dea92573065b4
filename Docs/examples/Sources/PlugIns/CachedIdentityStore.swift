public import DivanTLS
import Synchronization

/// Remembers the identities of a slow store, such as one across a network.
public final class CachedIdentityStore: TLSIdentityStore {
    private let inner: any TLSIdentityStore
    /// Keyed by bytes, as labels are compared.
    private let known = Mutex<[[UInt8]: TLSCredential]>([:])

    /// Remembers what `inner` gives.
    public init(_ inner: any TLSIdentityStore) { self.inner = inner }

    /// Asks the store inside for what is not known.
    public func credential(label: String) throws -> TLSCredential? {
        if let credential = known.withLock({ $0[Array(label.utf8)] }) { return credential }
        let credential = try inner.credential(label: label)
        known.withLock { $0[Array(label.utf8)] = credential }
        return credential
    }

    /// Keeps it inside first: what is remembered is also there after a crash.
    public func save(_ credential: TLSCredential, label: String) throws {
        try inner.save(credential, label: label)
        known.withLock { $0[Array(label.utf8)] = credential }
    }

    /// Forgets it here first: what is gone inside is never given out.
    public func delete(label: String) throws {
        known.withLock { $0[Array(label.utf8)] = nil }
        try inner.delete(label: label)
    }

    /// The labels of the store inside.
    public func labels() throws -> [String] { try inner.labels() }
}
