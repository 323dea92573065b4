internal import CDivanSeal
internal import DivanPlatform

/// An authenticated cipher for databases and blobs.
///
/// A new cipher is a table of C functions (`divan_cipher`) with a unique number, which is stored in each encrypted
/// file. `SealCipherContract.violations(of:)` lists the requirements that a cipher violates.
public struct SealCipher: Sendable {
    /// The number in encrypted files.
    public let number: UInt8
    /// The usual name.
    public let name: String

    private init(number: UInt8, name: String) {
        self.number = number
        self.name = name
    }

    /// AES-256 in Galois/Counter mode: the fastest cipher if the processor has instructions for it.
    public static let aes256GCM = SealCipher(number: 1, name: "AES-256-GCM")
    /// ChaCha20 with Poly1305: equally secure, and faster without such instructions.
    public static let chaCha20Poly1305 = SealCipher(number: 2, name: "ChaCha20-Poly1305")
    /// All supported ciphers.
    public static let all = [aes256GCM, chaCha20Poly1305]

    /// The cipher with a number in an encrypted file; `nil` if it is not supported.
    public static func numbered(_ number: UInt8) -> SealCipher? {
        all.first { $0.number == number }
    }

    /// The functions; they exist for every number that `init` accepts.
    var functions: UnsafePointer<divan_cipher>? { divan_cipher_numbered(number) }
}

/// A cipher with a key set up; confined to one thread at a time.
final class CipherContext {
    private let functions: UnsafePointer<divan_cipher>
    private let context: UnsafeMutableRawPointer

    /// - Throws: `library`.
    init(_ cipher: SealCipher, key: Span<UInt8>) throws(SealError) {
        guard key.count == SealLimits.keyByteCount else {
            throw .keyLength(byteCount: key.count)
        }
        let made = key.withUnsafeBufferPointer { key in
            cipher.functions?.pointee.make(key.baseAddress)
        }
        guard let functions = cipher.functions, let made else { throw .library }
        self.functions = functions
        context = made
    }

    deinit {
        functions.pointee.drop(context)
    }

    /// The sealed bytes, followed by a tag of 16 bytes.
    func seal(
        _ plain: Span<UInt8>,
        nonce: [UInt8],
        binding bound: [UInt8]
    ) throws(SealError) -> [UInt8] {
        var sealed: [UInt8] = []
        try seal(plain, nonce: nonce, binding: bound, into: &sealed)
        return sealed
    }

    /// Appends the sealed bytes to `sealed`, followed by a tag of 16 bytes.
    func seal(
        _ plain: Span<UInt8>,
        nonce: [UInt8],
        binding bound: [UInt8],
        into sealed: inout [UInt8]
    ) throws(SealError) {
        let byteCount = plain.count + Int(divan_tag_size)
        let isSealed = sealed.append(byteCount) { start in
            plain.withUnsafeBufferPointer { plain in
                functions.pointee.seal(
                    context,
                    nonce,
                    bound,
                    bound.count,
                    plain.baseAddress,
                    plain.count,
                    start,
                    start?.advanced(by: plain.count)
                ) == 1
            }
        }
        guard isSealed else { throw .library }
    }

    /// - Throws: `damaged`.
    func open(
        _ sealed: Span<UInt8>,
        nonce: [UInt8],
        binding bound: [UInt8]
    ) throws(SealError) -> [UInt8] {
        var plain: [UInt8] = []
        try open(sealed, nonce: nonce, binding: bound, into: &plain)
        return plain
    }

    /// Appends the decrypted bytes to `plain`.
    ///
    /// - Throws: `damaged`; nothing has then been appended.
    func open(
        _ sealed: Span<UInt8>,
        nonce: [UInt8],
        binding bound: [UInt8],
        into plain: inout [UInt8]
    ) throws(SealError) {
        let plainCount = sealed.count - Int(divan_tag_size)
        guard plainCount >= 0 else { throw .damaged }
        let isOpened = plain.append(plainCount) { start in
            sealed.withUnsafeBufferPointer { sealed in
                functions.pointee.open(
                    context,
                    nonce,
                    bound,
                    bound.count,
                    sealed.baseAddress,
                    plainCount,
                    sealed.baseAddress?.advanced(by: plainCount),
                    start
                ) == 1
            }
        }
        guard isOpened else { throw .damaged }
    }
}

extension [UInt8] {
    /// Appends this many bytes, which `write` stores at the given address; none if it returns false.
    fileprivate mutating func append(
        _ byteCount: Int,
        _ write: (UnsafeMutablePointer<UInt8>?) -> Bool
    ) -> Bool {
        var isWritten = false
        appendBytes(upTo: byteCount) { start in
            isWritten = write(start)
            return isWritten ? byteCount : 0
        }
        return isWritten
    }
}
