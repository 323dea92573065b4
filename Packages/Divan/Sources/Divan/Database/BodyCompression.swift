import DivanLZ4
public import DivanStore
import DivanZstd

/// How a collection keeps the current bodies of its documents on the disk.
///
/// Rows that repeat each other's keys and values take a half or a third of the room when they are packed
/// with a dictionary made of them; reading, saving and queries that look into bodies take longer
/// (`Docs/performance/store.md`). Nothing else changes: peers, queries and the API see plain bodies. An
/// addition to the official API; see ``Collection/setBodyCompression(_:)``.
public enum BodyCompression: String, CaseIterable, Sendable {
    /// Bodies are text, which any SQLite shell reads.
    case none
    /// LZ4 with a dictionary of each collection's own.
    case lz4
    /// Zstandard with such a dictionary: smaller by a third again, for a fifth of the rates of saves and reads.
    ///
    /// Only where zstd is on the machine (``isAvailable``): a database that is packed with it and comes to
    /// another one is not read there.
    case zstd

    /// Whether this machine can pack and read so.
    public var isAvailable: Bool { self != .zstd || ZstdDictionaryCodec.isAvailable }
}

extension BodyCompression {
    /// The codec's number in a file; `nil` for plain text.
    @_spi(Stores) public var codec: UInt8? {
        switch self {
        case .none: nil
        case .lz4: BodyPacking.Bundled.lz4.rawValue
        case .zstd: BodyPacking.Bundled.zstd.rawValue
        }
    }

    /// The choice that a file names by number.
    init(codec: UInt8?) {
        self = Self.allCases.first { $0.codec == codec } ?? .none
    }
}

extension BodyPacking {
    /// Every codec that a database of Divan's may be packed with, as far as this machine has them.
    @_spi(Stores) public static let bundled = BodyPacking(
        [NumberedCodec(Bundled.lz4.rawValue, LZ4DictionaryCodec())]
            + [ZstdDictionaryCodec()].compactMap { codec in
                codec.map { NumberedCodec(Bundled.zstd.rawValue, $0) }
            }
    )
}
