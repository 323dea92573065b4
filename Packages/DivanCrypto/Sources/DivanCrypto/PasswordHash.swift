internal import CDivanCrypto

/// A password hash for storage: salted, slow to guess, and not reversible.
///
/// Its text is `$scrypt$ln=14,r=8,p=5$<salt>$<key>`, Base64 without padding: a common format. Its description shows
/// only the kind.
public struct PasswordHash: Equatable, Sendable {
    private static let saltByteCount = 16
    private static let keyByteCount = 32
    private static let storedByteCounts = 8...128

    private let work: Scrypt
    private let salt: [UInt8]
    private let key: [UInt8]

    /// Hashes a password with a new salt, in about 0.2 s.
    ///
    /// - Throws: `CryptoError.library` if there is not enough memory.
    public init(
        _ password: String,
        work: Scrypt = .standard,
        random: some RandomSource = SystemRandomSource()
    ) throws(CryptoError) {
        let salt = random.bytes(Self.saltByteCount)
        self.work = work
        self.salt = salt
        key = try work.key(
            password: Array(password.utf8).span,
            salt: salt.span,
            byteCount: Self.keyByteCount
        )
    }

    /// Parses the text of a hash.
    ///
    /// Returns `nil` if it is damaged, of another kind, or requires more memory than `Scrypt.memoryByteCount`.
    public init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
            let work = Scrypt(parameters: parts[2]),
            let salt = Self.decode(parts[3]), Self.storedByteCounts.contains(salt.count),
            let key = Self.decode(parts[4]), Self.storedByteCounts.contains(key.count)
        else { return nil }
        self.work = work
        self.salt = salt
        self.key = key
    }

    /// The text for storage.
    public var text: String {
        "$scrypt$\(work.parameters)$\(Self.encode(salt))$\(Self.encode(key))"
    }

    /// Whether the password matches; takes as long as creating the hash, for any result.
    ///
    /// - Throws: `CryptoError.library` if there is not enough memory.
    public func matches(_ password: String) throws(CryptoError) -> Bool {
        let other = try work.key(
            password: Array(password.utf8).span,
            salt: salt.span,
            byteCount: key.count
        )
        return isEqualInConstantTime(key.span, other.span)
    }

    private static func encode(_ bytes: [UInt8]) -> Substring {
        let text = Base64.encode(bytes.span)
        return text.prefix { $0 != "=" }
    }

    private static func decode(_ text: Substring) -> [UInt8]? {
        guard !text.contains("=") else { return nil }
        let missing = (4 - text.utf8.count % 4) % 4
        return Base64.decode(text + String(repeating: "=", count: missing))
    }
}

extension PasswordHash: CustomStringConvertible, CustomReflectable {
    /// Only the kind, because a hash helps attackers to guess the password.
    public var description: String { "scrypt hash (\(work.parameters))" }

    /// Only the kind, so that `dump` does not show the hash.
    public var customMirror: Mirror { Mirror(self, children: ["work": work.parameters]) }
}

extension Scrypt {
    fileprivate var parameters: String { "ln=\(costExponent),r=\(blockSize),p=\(parallelism)" }

    /// Reads exactly what `parameters` writes.
    fileprivate init?(parameters text: Substring) {
        let numbers = text.split(separator: ",").compactMap { part in
            part.split(separator: "=").last.flatMap { Int($0) }
        }
        guard numbers.count == 3 else { return nil }
        self.init(costExponent: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
        guard parameters == text else { return nil }
    }
}

/// Returns whether both have the same bytes, in a time that depends only on their lengths.
///
/// Compare secrets and proofs with this function, never with `==`: an early exit reveals how many bytes were
/// correct. Different lengths return `false` immediately, so lengths are not secret.
public func isEqualInConstantTime(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBufferPointer { left in
        right.withUnsafeBufferPointer { right in
            divan_equal(left.baseAddress, right.baseAddress, left.count) == 1
        }
    }
}
