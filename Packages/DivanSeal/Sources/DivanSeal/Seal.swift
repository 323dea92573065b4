/// A key, and the cipher for new files.
public struct Seal: Sendable {
    /// The key.
    public let key: SealKey
    /// The cipher for new files; existing files contain the number of their cipher.
    public let cipher: SealCipher

    /// Creates a seal.
    public init(key: SealKey, cipher: SealCipher = .aes256GCM) {
        self.key = key
        self.cipher = cipher
    }
}

// MARK: - What a file says

extension Seal {
    /// The kind of a file, determined from its start without a key.
    public enum FileKind: Equatable, Sendable {
        /// A database or blob that is encrypted with a supported cipher.
        case sealed(cipher: String)
        /// A file that a newer version of Divan encrypted.
        case sealedOtherwise(number: UInt8)
        /// An SQLite database that is not encrypted.
        case plain
        /// Another file.
        case unknown
    }

    /// Determines the kind of a file from its first 16 bytes.
    public static func kind(ofHead head: Span<UInt8>) -> FileKind {
        guard head.count >= 16 else { return .unknown }
        let start = (0..<16).map { head[$0] }
        if start.starts(with: Array("SQLite format 3".utf8)) { return .plain }
        guard start.starts(with: Array("DvS".utf8)) || start.starts(with: Array("DvB".utf8))
        else { return .unknown }
        guard let cipher = SealCipher.numbered(start[3]) else {
            return .sealedOtherwise(number: start[3])
        }
        return .sealed(cipher: cipher.name)
    }
}
