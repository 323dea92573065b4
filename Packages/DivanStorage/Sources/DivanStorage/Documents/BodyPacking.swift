public import DivanCompression

/// The codecs with which bodies may be compressed at rest, by their numbers in the file.
///
/// Compression is set per collection (`StoreWriter.packBodies(of:with:)`) and stored in the database. To open a
/// database, all codecs that its bodies are compressed with must be included.
public struct BodyPacking: Sendable {
    /// A codec and its number.
    public struct NumberedCodec: Sendable {
        /// 1 or more; never reused for another codec.
        public let number: UInt8
        /// The codec.
        public let codec: any DictionaryCodec

        /// Creates a numbered codec.
        public init(_ number: UInt8, _ codec: any DictionaryCodec) {
            self.number = number
            self.codec = codec
        }
    }

    /// The numbers of the codecs that any Divan database may use.
    public enum Bundled: UInt8, CaseIterable, Sendable {
        /// LZ4 with a dictionary.
        case lz4 = 2
        /// Zstandard with a dictionary; its library is optional.
        case zstd = 3
    }

    /// No codecs: a database with compressed bodies cannot be read.
    public static let none = BodyPacking([])

    private let codecs: [NumberedCodec]

    /// Creates a list of codecs; of two codecs with the same number, the first is used.
    public init(_ codecs: [NumberedCodec]) {
        self.codecs = codecs
    }

    /// The codec with a number.
    public func codec(_ number: UInt8) -> (any DictionaryCodec)? {
        codecs.first { $0.number == number }?.codec
    }
}
