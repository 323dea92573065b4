import DivanDelta
import DivanLZ4
import DivanZlib

/// How a database keeps the bodies of old revisions, which are there for deltas and for merging.
///
/// Each is kept as its difference from the document's current body where that is shorter, and what
/// is left is compressed. Bodies are readable whichever setting wrote them; the current body of a
/// document is compressed where its collection says so (``BodyCompression``). An addition to the official API.
public enum RevisionCompression: String, CaseIterable, Sendable {
    /// LZ4: some ten times faster than deflate, and half as much again in bytes.
    case lz4
    /// Deflate: the smaller.
    case deflate
    /// Differences alone.
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
