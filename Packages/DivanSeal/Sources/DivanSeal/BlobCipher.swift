internal import CDivanSeal

/// The key of one sealed blob, and the data that its tags cover.
struct BlobCipher {
    private static let saltByteCount = 16
    /// "DvB", the cipher's number, a check of the key, a salt.
    let head: [UInt8]
    /// What the tags of the chunks cover in addition to the chunks.
    private let binding: [UInt8]
    private let context: CipherContext

    /// The cipher of a new blob.
    init(sealing key: SealKey, cipher: SealCipher) throws(SealError) {
        var salt = [UInt8](repeating: 0, count: Self.saltByteCount)
        guard divan_seal_random(&salt, salt.count) == 1 else { throw .library }
        try self.init(key, cipher: cipher, salt: salt)
    }

    init(_ key: SealKey, cipher: SealCipher, salt: [UInt8]) throws(SealError) {
        var derived = try key.derived(salt: salt, label: "divan blob", byteCount: 36)
        defer { derived.wipe() }
        head = Array("DvB".utf8) + [cipher.number] + derived[32...] + salt
        binding = Array("blob".utf8) + head
        context = try CipherContext(cipher, key: derived.span.extracting(..<32))
    }

    /// The cipher of a blob that begins with these bytes.
    ///
    /// - Throws: `damaged` if no blob begins with them, `otherKey`.
    init(opening head: [UInt8], with key: SealKey) throws(SealError) {
        guard head.count == BlobLayout.headByteCount, head.starts(with: Array("DvB".utf8)),
            let cipher = SealCipher.numbered(head[3])
        else { throw .damaged }
        try self.init(key, cipher: cipher, salt: Array(head[8...]))
        guard divan_same(self.head, head, head.count) == 1 else { throw .otherKey }
    }

    func seal(
        _ chunk: Span<UInt8>,
        number: Int,
        into sealed: inout [UInt8]
    ) throws(SealError) {
        let nonce = Self.nonce(UInt64(number))
        try context.seal(chunk, nonce: nonce, binding: binding, into: &sealed)
    }

    func open(
        _ chunk: Span<UInt8>,
        number: Int,
        into content: inout [UInt8]
    ) throws(SealError) {
        let nonce = Self.nonce(UInt64(number))
        try context.open(chunk, nonce: nonce, binding: binding, into: &content)
    }

    /// The tag over the blob's digest and length.
    func end(digest: [UInt8], byteCount: Int) throws(SealError) -> [UInt8] {
        try context.seal(
            [UInt8]().span,
            nonce: Self.nonce(.max),
            binding: bound(digest, byteCount)
        )
    }

    func verify(_ end: Span<UInt8>, digest: [UInt8], byteCount: Int) throws(SealError) {
        _ = try context.open(end, nonce: Self.nonce(.max), binding: bound(digest, byteCount))
    }

    private func bound(_ digest: [UInt8], _ byteCount: Int) -> [UInt8] {
        Array("end ".utf8) + head + digest + Self.bytes(UInt64(byteCount))
    }

    // No number is used twice with the key of one blob.
    private static func nonce(_ number: UInt64) -> [UInt8] {
        [0, 0, 0, 0] + bytes(number)
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }
}
