/// Stores identities with labels, including their private keys.
///
/// A label is 1 to `TLSLimits.labelByteCount` bytes of UTF-8 without control characters; two labels are the same if
/// their bytes are equal. Reading an invalid label returns `nil`. Can be called from any thread.
/// `IdentityStoreContract` checks an implementation.
///
/// Source: `behaviour.md` §14.
public protocol TLSIdentityStore: Sendable {
    /// Returns the identity with `label`, even if it has expired; `nil` if it does not exist.
    ///
    /// - Throws: `CredentialError` for a damaged identity, or the store's error if it cannot be accessed.
    func credential(label: String) throws -> TLSCredential?

    /// Stores an identity; once the call returns, it survives a crash of the process.
    ///
    /// - Throws: `CredentialError.Reason.labelTaken` if the label exists; nothing is replaced. `invalidLabel` for
    ///   an invalid label.
    func save(_ credential: TLSCredential, label: String) throws

    /// Stores an identity, atomically replacing any identity with `label`.
    ///
    /// If nothing can be written, the old identity remains. The default implementation deletes the old identity
    /// first.
    func replace(_ credential: TLSCredential, label: String) throws

    /// Deletes the identity with `label`; does nothing if it does not exist.
    func delete(label: String) throws

    /// The labels, sorted by bytes.
    func labels() throws -> [String]
}

extension TLSIdentityStore {
    /// Deletes the old identity, then saves the new identity.
    public func replace(_ credential: TLSCredential, label: String) throws {
        try delete(label: label)
        try save(credential, label: label)
    }
}

/// Whether the store's rules allow a label.
func isLabel(_ label: String) -> Bool {
    (1...TLSLimits.labelByteCount).contains(label.utf8.count)
        && !label.unicodeScalars.contains { $0.properties.generalCategory == .control }
}

/// Refuses labels that the store's rules do not allow.
func checkLabel(_ label: String) throws(CredentialError) {
    guard isLabel(label) else { throw CredentialError(.invalidLabel(label)) }
}

extension [String] {
    /// Sorted by UTF-8 bytes, so that the order does not depend on a locale.
    func sortedByBytes() -> [String] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
