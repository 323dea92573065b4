import DivanDelta
import DivanLZ4
import DivanZlib

/// How a database compresses the bodies of old revisions, which are kept for deltas and merging.
///
/// An old body is stored as the difference from the document's current body if that is shorter, and then compressed.
/// Bodies written with another setting stay readable. Current bodies are compressed according to ``BodyCompression``.
/// An addition to the official API.
public enum RevisionCompression: String, CaseIterable, Sendable {
    /// LZ4: about ten times faster than deflate, and 50% larger.
    case lz4
    /// Deflate: smallest.
    case deflate
    /// No compression, only differences.
    case none
}

extension RevisionCompression {
    var archive: BodyArchive {
        let bundled: BodyArchive.Bundled? =
            switch self {
            case .lz4: .lz4
            case .deflate: .deflate
            case .none: nil
            }
        return BodyArchive(packing: bundled, deflate: DeflateCodec(), lz4: LZ4Codec())
    }
}
