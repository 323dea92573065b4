import Synchronization

/// Keeps identities in memory: for tests and temporary peers.
public final class InMemoryIdentityStore: TLSIdentityStore {
    // Keyed by bytes, because String's equality follows Unicode equivalence.
    private let credentials = Mutex<[[UInt8]: TLSCredential]>([:])

    /// Creates an empty store.
    public init() {}

    /// Returns the identity with `label`; `nil` if it does not exist.
    public func credential(label: String) throws -> TLSCredential? {
        credentials.withLock { $0[Array(label.utf8)] }
    }

    /// Stores an identity; throws `CredentialError.Reason.labelTaken` if the label exists.
    public func save(_ credential: TLSCredential, label: String) throws {
        try checkLabel(label)
        let isTaken = credentials.withLock { credentials in
            guard credentials[Array(label.utf8)] == nil else { return true }
            credentials[Array(label.utf8)] = credential
            return false
        }
        if isTaken { throw CredentialError(.labelTaken(label)) }
    }

    /// Stores an identity, replacing any identity with `label`.
    public func replace(_ credential: TLSCredential, label: String) throws {
        try checkLabel(label)
        credentials.withLock { $0[Array(label.utf8)] = credential }
    }

    /// Deletes the identity with `label`, if it exists.
    public func delete(label: String) throws {
        credentials.withLock { $0[Array(label.utf8)] = nil }
    }

    /// The labels, sorted by bytes.
    public func labels() throws -> [String] {
        credentials.withLock { $0.keys.map { String(decoding: $0, as: UTF8.self) } }
            .sortedByBytes()
    }
}
