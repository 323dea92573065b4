public import DivanCompression

/// The codecs with which bodies may be packed at rest, by the numbers that stand in the file.
///
/// Whether bodies are packed, and with which of them, is told for each collection
/// (`StoreWriter.packBodies(of:with:)`) and stands in the database. Who opens one has to know every codec
/// that its bodies are packed with.
public struct BodyPacking: Sendable {
    /// A codec and its number.
    public struct NumberedCodec: Sendable {
        /// 1 or more; never given to another codec.
        public let number: UInt8
        /// Packs and unpacks.
        public let codec: any DictionaryCodec

        /// Gives a codec its number.
        public init(_ number: UInt8, _ codec: any DictionaryCodec) {
            self.number = number
            self.codec = codec
        }
    }

    /// The numbers of the codecs that every Divan database may be packed with.
    public enum Bundled: UInt8, CaseIterable, Sendable {
        /// LZ4 with a dictionary.
        case lz4 = 2
        /// Zstandard with a dictionary; not every machine has its library.
        case zstd = 3
    }

    /// No codec: a database with packed bodies cannot be read.
    public static let none = BodyPacking([])

    private let codecs: [NumberedCodec]

    /// Creates the list; of two codecs with one number the first holds.
    public init(_ codecs: [NumberedCodec]) {
        self.codecs = codecs
    }

    /// The codec with a number.
    func codec(_ number: UInt8) -> (any DictionaryCodec)? {
        codecs.first { $0.number == number }?.codec
    }
}
