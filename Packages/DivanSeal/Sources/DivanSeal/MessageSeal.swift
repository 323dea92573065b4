internal import CDivanSeal

/// Encrypts short messages with AES-256-GCM: the output is a nonce of 12 random bytes, the encrypted bytes, and a
/// tag of 16 bytes.
///
/// The key is HKDF-SHA256 of a `SealKey` with the salt `Divan`, for a label: keys for different labels are
/// independent. After 2³² messages with one key, two nonces are equal with a probability of 2⁻³³. Can be used from
/// any thread.
public final class MessageSeal: Sendable {
    private static let cipher = SealCipher.aes256GCM
    private static let nonceByteCount = Int(divan_nonce_size)

    // In memory that is wiped when it is freed; a context is made for each message, some 0.5 µs.
    private let key: SealKey

    /// Derives a key for messages of one kind.
    ///
    /// - Throws: `library`.
    public init(_ key: SealKey, label: String) throws(SealError) {
        var derived = try key.derived(
            salt: Array("Divan".utf8),
            label: label,
            byteCount: SealLimits.keyByteCount
        )
        defer { derived.wipe() }
        self.key = try SealKey(bytes: derived.span)
    }

    /// Encrypts a message, which can be decrypted only with the same `bound`.
    ///
    /// - Throws: `library`.
    public func seal(_ plain: Span<UInt8>, binding bound: [UInt8]) throws(SealError) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: Self.nonceByteCount)
        guard divan_seal_random(&nonce, nonce.count) == 1 else { throw .library }
        return try seal(plain, nonce: nonce, binding: bound)
    }

    /// Like `seal(_:binding:)`, with a nonce that must not be used again; for vectors.
    func seal(
        _ plain: Span<UInt8>,
        nonce: [UInt8],
        binding bound: [UInt8]
    ) throws(SealError) -> [UInt8] {
        nonce + (try context().seal(plain, nonce: nonce, binding: bound))
    }

    /// Decrypts a message.
    ///
    /// - Throws: `damaged` for bytes that were not encrypted with this key and `bound`.
    public func open(_ sealed: Span<UInt8>, binding bound: [UInt8]) throws(SealError) -> [UInt8] {
        guard sealed.count >= Self.nonceByteCount + Int(divan_tag_size) else { throw .damaged }
        let nonce = (0..<Self.nonceByteCount).map { sealed[$0] }
        return try context().open(
            sealed.extracting(Self.nonceByteCount...),
            nonce: nonce,
            binding: bound
        )
    }

    private func context() throws(SealError) -> CipherContext {
        var made = Result<CipherContext, SealError>.failure(.library)
        key.withBytes { bytes in
            made = Result { () throws(SealError) in try CipherContext(Self.cipher, key: bytes) }
        }
        return try made.get()
    }
}
