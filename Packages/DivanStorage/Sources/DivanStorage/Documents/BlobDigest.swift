internal import DivanCrypto

/// The identifier of a blob: the SHA-1 digest of its bytes.
///
/// Source: `blobs.md` §1 (text), §2 (file name).
public struct BlobDigest: Hashable, Sendable {
    /// The 20 bytes of the SHA-1 digest.
    public let bytes: [UInt8]

    /// Hashes the whole content of a blob.
    public init(hashing content: Span<UInt8>) {
        bytes = SHA1.digest(of: content)
    }

    /// Creates a digest from the result of a hash; `nil` if it is not 20 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 20 else { return nil }
        self.bytes = bytes
    }

    /// Parses `sha1-` followed by 28 characters of base64; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 33, text.hasPrefix("sha1-"),
            let bytes = Base64.decode(text.dropFirst(5))
        else { return nil }
        self.init(bytes: bytes)
    }

    /// The name of the blob's file in `Attachments/`, derived from the bytes.
    public var fileName: String {
        String(base64.map { $0 == "/" ? "_" : $0 }) + ".blob"
    }

    /// Parses a name created by `fileName`; `nil` for any other file.
    public init?(fileName: String) {
        guard fileName.utf8.count == 33, fileName.hasSuffix(".blob") else { return nil }
        let text = String(fileName.dropLast(5).map { $0 == "_" ? "/" : $0 })
        guard let bytes = Base64.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    private var base64: String { Base64.encode(bytes.span) }
}

extension BlobDigest: CustomStringConvertible {
    /// The text used in documents and messages: `sha1-` and base64.
    public var description: String { "sha1-" + base64 }
}

extension BlobDigest: Comparable {
    /// Orders digests by their bytes.
    public static func < (left: BlobDigest, right: BlobDigest) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
