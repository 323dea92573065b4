/// Keeps identities under labels, private keys included.
///
/// A label is 1 to `TLSLimits.labelByteCount` bytes of UTF-8 without control characters; two labels
/// are the same when their bytes are. Any thread may call. `IdentityStoreContract` checks an
/// implementation.
///
/// Source: `behaviour.md` §14.
public protocol TLSIdentityStore: Sendable {
    /// Returns the identity under `label`, or `nil` when there is none; an expired one too.
    ///
    /// - Throws: `CredentialError` for an unusable label or a damaged identity, or the store's own
    ///   error when it cannot be reached.
    func credential(label: String) throws -> TLSCredential?

    /// Keeps an identity; when the call returns, it survives a crash of the process.
    ///
    /// - Throws: `CredentialError.Reason.labelTaken` when the label exists; nothing is replaced.
    func save(_ credential: TLSCredential, label: String) throws

    /// Keeps an identity in place of the one under `label`, if there is one: readers find one or the other.
    ///
    /// Where nothing can be written the old one stays. A store that has no way of its own forgets the old one
    /// first.
    func replace(_ credential: TLSCredential, label: String) throws

    /// Forgets the identity under `label`; one that does not exist is no error.
    func delete(label: String) throws

    /// The labels in the order of their bytes.
    func labels() throws -> [String]
}

extension TLSIdentityStore {
    /// Forgets the old one, then keeps the new one.
    public func replace(_ credential: TLSCredential, label: String) throws {
        try delete(label: label)
        try save(credential, label: label)
    }
}

/// Refuses labels outside the store's promise.
func checkLabel(_ label: String) throws(CredentialError) {
    let hasControls = label.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard (1...TLSLimits.labelByteCount).contains(label.utf8.count), !hasControls else {
        throw CredentialError(.invalidLabel(label))
    }
}

extension [String] {
    /// Sorted by UTF-8 bytes, so that the order depends on no locale.
    func sortedByBytes() -> [String] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
