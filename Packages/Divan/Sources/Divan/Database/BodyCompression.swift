import DivanLZ4
public import DivanStore
import DivanZstd

/// How a collection compresses the current bodies of its documents on disk.
///
/// Similar documents need only a half or a third of the space, because they are compressed with a dictionary built from
/// them. Reading, saving and queries of bodies take longer (`Docs/performance.md`). Peers, queries and the API
/// see uncompressed bodies. An addition to the official API; see ``Collection/setBodyCompression(_:)``.
public enum BodyCompression: String, CaseIterable, Sendable {
    /// No compression: bodies are plain text.
    case none
    /// LZ4 with a dictionary for each collection.
    case lz4
    /// Zstandard with a dictionary for each collection: a third smaller than LZ4, with saves and reads up to a fifth
    /// slower.
    ///
    /// Requires zstd (``isAvailable``): a machine without it cannot read the database.
    case zstd

    /// Whether the codec is installed on this machine.
    public var isAvailable: Bool { self != .zstd || ZstdDictionaryCodec.isAvailable }
}

extension BodyCompression {
    /// The number of the codec in a file; `nil` for plain text.
    @_spi(Stores) public var codec: UInt8? {
        switch self {
        case .none: nil
        case .lz4: BodyPacking.Bundled.lz4.rawValue
        case .zstd: BodyPacking.Bundled.zstd.rawValue
        }
    }

    /// The setting that a file names by number.
    init(codec: UInt8?) {
        self = Self.allCases.first { $0.codec == codec } ?? .none
    }
}

extension BodyPacking {
    /// Every codec that a Divan database may be compressed with and this machine has.
    @_spi(Stores) public static let bundled = BodyPacking(
        [NumberedCodec(Bundled.lz4.rawValue, LZ4DictionaryCodec())]
            + [ZstdDictionaryCodec()].compactMap { codec in
                codec.map { NumberedCodec(Bundled.zstd.rawValue, $0) }
            }
    )
}
