public import DivanCompression
public import DivanDatabase
import DivanLZ4
import DivanZstd

/// How a collection compresses the current bodies of its documents on disk.
///
/// Similar documents need only a half or a third of the space, because they are compressed with a dictionary built from
/// them. Reading, saving and queries of bodies take longer (`Docs/performance.md`). Peers, queries and the API
/// see uncompressed bodies. An addition to the official API; see ``Collection/setBodyCompression(_:)``.
///
/// The value is the name of a codec: one of Divan's, or one of ``DatabaseConfiguration/bodyCodecs``.
public struct BodyCompression: RawRepresentable, Hashable, CaseIterable, Sendable {
    /// No compression: bodies are plain text.
    public static let none = BodyCompression(rawValue: "none")
    /// LZ4 with a dictionary for each collection.
    public static let lz4 = BodyCompression(rawValue: "lz4")
    /// Zstandard with a dictionary for each collection: a third smaller than LZ4, with saves and reads up to a fifth
    /// slower.
    ///
    /// Requires zstd (``isAvailable``): a machine without it cannot read the database.
    public static let zstd = BodyCompression(rawValue: "zstd")

    /// The settings that every database supports.
    public static let allCases: [BodyCompression] = [none, lz4, zstd]

    /// The name of the codec; `none` for plain text.
    public let rawValue: String

    /// Selects a codec by its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Selects a custom codec, which must be in ``DatabaseConfiguration/bodyCodecs``.
    public static func codec(_ codec: any DictionaryCodec) -> BodyCompression {
        BodyCompression(rawValue: codec.name)
    }

    /// Whether the codec is installed on this machine.
    public var isAvailable: Bool { self != .zstd || ZstdDictionaryCodec.isAvailable }
}

/// A custom codec for the bodies of documents on disk, with the number that databases store.
///
/// Conform to `DictionaryCodec` of DivanCompression, and test the codec with `DictionaryCodecContract`. An addition to
/// the official API.
///
/// ```swift
/// config.bodyCodecs = [BodyCodec(number: 128, codec: PhraseCodec())]
/// let routes = try Database(name: "fleet", config: config).defaultCollection()
/// try routes.setBodyCompression(.codec(PhraseCodec()))
/// ```
public struct BodyCodec: Sendable {
    /// The numbers for applications; the others are reserved for Divan.
    public static let numbers: ClosedRange<UInt8> = 128...255

    /// The number, in ``numbers``; never reuse it for another codec or format.
    public let number: UInt8
    /// The codec, whose name is 1 to 16 ASCII letters and digits.
    public let codec: any DictionaryCodec

    /// Numbers a codec.
    public init(number: UInt8, codec: any DictionaryCodec) {
        self.number = number
        self.codec = codec
    }
}

extension BodyCompression: CustomStringConvertible {
    /// The name of the codec.
    public var description: String { rawValue }
}

extension BodyCompression {
    /// The number of the codec in a file; `nil` for plain text, and for custom codecs.
    @_spi(Stores) public var codec: UInt8? {
        switch self {
        case .lz4: BodyPacking.Bundled.lz4.rawValue
        case .zstd: BodyPacking.Bundled.zstd.rawValue
        default: nil
        }
    }

    /// The number of the codec in a database with these custom codecs; `nil` for plain text.
    ///
    /// - Throws: `unknownCodec`.
    func number(among custom: [BodyCodec]) throws(PlugInFailure) -> UInt8? {
        if self == .none { return nil }
        let number = codec ?? custom.first { $0.codec.name == rawValue }?.number
        guard let number else { throw .unknownCodec(rawValue, property: "bodyCodecs") }
        return number
    }

    /// The setting that a file names by number; an unknown number is the name of a codec that does not exist.
    init(number: UInt8?, among custom: [BodyCodec]) {
        let bundled = Self.allCases.first { $0.codec == number }
        let name = custom.first { $0.number == number }?.codec.name
        self = bundled ?? BodyCompression(rawValue: name ?? "codec \(number ?? 0)")
    }
}

extension BodyPacking {
    /// Every codec that a Divan database may be compressed with and this machine has.
    @_spi(Stores) public static let bundled = BodyPacking(bundledCodecs)

    fileprivate static let bundledCodecs =
        [NumberedCodec(Bundled.lz4.rawValue, LZ4DictionaryCodec())]
        + [ZstdDictionaryCodec()].compactMap { codec in
            codec.map { NumberedCodec(Bundled.zstd.rawValue, $0) }
        }
}

extension DatabaseConfiguration {
    /// The codecs of bodies: Divan's, and those of the application.
    ///
    /// - Throws: `PlugInFailure` for an invalid or repeated name or number.
    func packing() throws(PlugInFailure) -> BodyPacking {
        try PlugInFailure.check(
            codecs: bodyCodecs.map { ($0.number, $0.codec.name) },
            numbers: BodyCodec.numbers
        )
        let custom = bodyCodecs.map { BodyPacking.NumberedCodec($0.number, $0.codec) }
        return BodyPacking(BodyPacking.bundledCodecs + custom)
    }
}
