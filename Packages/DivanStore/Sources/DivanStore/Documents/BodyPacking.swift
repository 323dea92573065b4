public import DivanCompression

/// The codecs with which bodies may be packed at rest, by the numbers used in the file.
///
/// Whether bodies are packed, and with which codec, is set per collection
/// (`StoreWriter.packBodies(of:with:)`) and stored in the database. To open a database, every codec that
/// its bodies are packed with must be known.
public struct BodyPacking: Sendable {
    /// A codec and its number.
    public struct NumberedCodec: Sendable {
        /// 1 or more; never reused for another codec.
        public let number: UInt8
        /// Packs and unpacks.
        public let codec: any DictionaryCodec

        /// Gives a codec its number.
        public init(_ number: UInt8, _ codec: any DictionaryCodec) {
            self.number = number
            self.codec = codec
        }
    }

    /// The numbers of the codecs that any Divan database may be packed with.
    public enum Bundled: UInt8, CaseIterable, Sendable {
        /// LZ4 with a dictionary.
        case lz4 = 2
        /// Zstandard with a dictionary; its library is not on every machine.
        case zstd = 3
    }

    /// No codec: a database with packed bodies cannot be read.
    public static let none = BodyPacking([])

    private let codecs: [NumberedCodec]

    /// Creates the list; of two codecs with the same number the first is used.
    public init(_ codecs: [NumberedCodec]) {
        self.codecs = codecs
    }

    /// The codec with a number.
    func codec(_ number: UInt8) -> (any DictionaryCodec)? {
        codecs.first { $0.number == number }?.codec
    }
}
