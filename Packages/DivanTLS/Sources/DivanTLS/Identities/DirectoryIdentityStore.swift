import CDivanTLS

/// Stores each identity in a separate PEM file, which `openssl` can read.
///
/// The directory has mode 0700, each file 0600, and both belong to this user; looser permissions are an error and
/// are not repaired, because others may have read the file. Files are written atomically, and several processes can
/// share the directory.
///
/// Source: `behaviour.md` §13.
public struct DirectoryIdentityStore: TLSIdentityStore {
    /// The directory of the files.
    public let directory: String

    /// Uses a directory, which the first `save` creates.
    public init(directory: String) {
        self.directory = directory
    }

    /// Reads the identity with `label`; `nil` if the file does not exist.
    ///
    /// - Throws: `CredentialError`, with `.exposed` if other users can read the file or the directory.
    public func credential(label: String) throws -> TLSCredential? {
        guard isLabel(label), let folder = try PrivateDirectory.open(directory, creates: false),
            var bytes = try folder.read(IdentityFileName(label).text)
        else { return nil }
        defer { OPENSSL_cleanse(&bytes, bytes.count) }
        return try TLSCredential(pem: String(decoding: bytes, as: UTF8.self))
    }

    /// Writes and syncs a new file.
    ///
    /// - Throws: `CredentialError`, with `.labelTaken` if the label exists.
    public func save(_ credential: TLSCredential, label: String) throws {
        guard try write(credential, label, isReplacing: false) else {
            throw CredentialError(.labelTaken(label))
        }
    }

    /// Writes and syncs a file that atomically replaces the file with `label`.
    ///
    /// - Throws: `CredentialError`.
    public func replace(_ credential: TLSCredential, label: String) throws {
        _ = try write(credential, label, isReplacing: true)
    }

    /// Returns whether the file was written; not if the label is taken and must not be replaced.
    private func write(
        _ credential: TLSCredential,
        _ label: String,
        isReplacing: Bool
    ) throws -> Bool {
        try checkLabel(label)
        guard let folder = try PrivateDirectory.open(directory, creates: true) else { return true }
        let name = IdentityFileName(label)
        var bytes = Array((name.firstLine + (try credential.pem())).utf8)
        defer { OPENSSL_cleanse(&bytes, bytes.count) }
        return try folder.create(name.text, bytes.span, isReplacing: isReplacing)
    }

    /// Deletes the file with `label`, if it exists.
    ///
    /// - Throws: `CredentialError`.
    public func delete(label: String) throws {
        guard isLabel(label), let folder = try PrivateDirectory.open(directory, creates: false)
        else { return }
        try folder.remove(IdentityFileName(label).text)
    }

    /// The labels, sorted by bytes; other files in the directory are skipped.
    ///
    /// - Throws: `CredentialError`.
    public func labels() throws -> [String] {
        guard let folder = try PrivateDirectory.open(directory, creates: false) else { return [] }
        var labels: [String] = []
        for name in try folder.names() {
            if let label = IdentityFileName.label(of: name) {
                labels.append(label)
            } else if IdentityFileName.isShortened(name), var bytes = try folder.read(name) {
                defer { OPENSSL_cleanse(&bytes, bytes.count) }
                if let label = IdentityFileName.label(of: name, holding: bytes) {
                    labels.append(label)
                }
            }
        }
        return labels.sortedByBytes()
    }
}
