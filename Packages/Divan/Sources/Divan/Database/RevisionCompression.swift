import DivanDelta
import DivanLZ4
import DivanZlib

/// How a database stores the bodies of old revisions, which are kept for deltas and for merging.
///
/// Each is stored as its difference from the document's current body if that is shorter, and the result is compressed.
/// Bodies are readable whichever setting wrote them; the current body of a document is compressed if its collection
/// says so (``BodyCompression``). An addition to the official API.
public enum RevisionCompression: String, CaseIterable, Sendable {
    /// LZ4: about ten times faster than deflate, and half as large again.
    case lz4
    /// Deflate: the smallest.
    case deflate
    /// Differences only.
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
