public import DivanCompression
import DivanDelta
import DivanLZ4
import DivanZlib

/// How a database compresses the bodies of old revisions, which are kept for deltas and merging.
///
/// An old body is stored as the difference from the document's current body if that is shorter, and then compressed.
/// Bodies written with another setting stay readable. Current bodies are compressed according to ``BodyCompression``.
/// An addition to the official API.
///
/// The value is the name of a codec: one of Divan's, or one of ``DatabaseConfiguration/revisionCodecs``.
public struct RevisionCompression: RawRepresentable, Hashable, CaseIterable, Sendable {
    /// LZ4: about ten times faster than deflate, and 50% larger.
    public static let lz4 = RevisionCompression(rawValue: "lz4")
    /// Deflate: smallest.
    public static let deflate = RevisionCompression(rawValue: "deflate")
    /// No compression, only differences.
    public static let none = RevisionCompression(rawValue: "none")

    /// The settings that every database supports.
    public static let allCases: [RevisionCompression] = [lz4, deflate, none]

    /// The name of the codec; `none` for no compression.
    public let rawValue: String

    /// Selects a codec by its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Selects a custom codec, which must be in ``DatabaseConfiguration/revisionCodecs``.
    public static func codec(_ codec: any CompressionCodec) -> RevisionCompression {
        RevisionCompression(rawValue: codec.name)
    }
}

/// A custom codec for the bodies of old revisions, with the number that databases store.
///
/// Conform to `CompressionCodec` of DivanCompression, and test the codec with `CodecContract`. Keep the codec in the
/// configuration as long as the database contains bodies that were compressed with it. An addition to the official API.
public struct RevisionCodec: Sendable {
    /// The numbers for applications; the others are reserved for Divan.
    public static let numbers: ClosedRange<UInt8> = 32...63

    /// The number, in ``numbers``; never reuse it for another codec or format.
    public let number: UInt8
    /// The codec, whose name is 1 to 16 ASCII letters and digits.
    public let codec: any CompressionCodec

    /// Numbers a codec.
    public init(number: UInt8, codec: any CompressionCodec) {
        self.number = number
        self.codec = codec
    }
}

extension RevisionCompression: CustomStringConvertible {
    /// The name of the codec.
    public var description: String { rawValue }
}

extension DatabaseConfiguration {
    /// The codecs of old bodies: Divan's, and those of the application.
    ///
    /// - Throws: `PlugInFailure` for an invalid or repeated name or number, or an unknown codec.
    func archive() throws(PlugInFailure) -> BodyArchive {
        try PlugInFailure.check(
            codecs: revisionCodecs.map { ($0.number, $0.codec.name) },
            numbers: RevisionCodec.numbers
        )
        let bundled: [(number: UInt8, codec: any CompressionCodec)] = [
            (BodyArchive.Bundled.deflate.rawValue, DeflateCodec()),
            (BodyArchive.Bundled.lz4.rawValue, LZ4Codec()),
        ]
        let codecs = (bundled + revisionCodecs.map { ($0.number, $0.codec) })
            .compactMap { BodyArchive.NumberedCodec(number: $0.number, codec: $0.codec) }
        let chosen = codecs.first { $0.codec.name == revisionCompression.rawValue }
        guard chosen != nil || revisionCompression == .none else {
            throw .unknownCodec(revisionCompression.rawValue, property: "revisionCodecs")
        }
        return BodyArchive(packing: chosen, reading: codecs)
    }
}
