internal import CDivanSeal
import DivanPlatform

/// Reads the key from a key of type `user` in the kernel's keyrings: `keyctl padd user divan:notes @u < notes.key`.
///
/// It is not stored in files, and other users cannot read it. The kernel searches the keyrings of the thread, the
/// process and the session. Their content is lost at a restart, and after a timeout if one was set (`keyctl
/// timeout`).
public struct KeyringKey: KeySource {
    private let description: String
    private let form: KeyForm

    /// Creates a source for the key with a description.
    public init(_ description: String, form: KeyForm = .key) {
        self.description = description
        self.form = form
    }

    /// Reads the key from the kernel.
    public func key() throws(SealError) -> SealKey {
        let source = "keyring \(description)"
        guard !description.isEmpty, !description.utf8.contains(0) else {
            throw .source(
                source,
                detail: "invalid key description; use the one that the key was added with"
            )
        }
        var given = [UInt8](repeating: 0, count: SealLimits.sourceByteCount)
        let count = divan_keyring_read(description, &given, given.count)
        guard count >= 0 else {
            throw SealError.unreadable(source, .current)
        }
        return try form.key(from: &given, count: count, of: source)
    }
}
