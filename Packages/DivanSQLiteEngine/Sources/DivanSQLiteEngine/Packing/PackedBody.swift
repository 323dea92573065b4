internal import CDivanSQLiteEngine
internal import DivanStorage

/// A packed body as stored in a row: `mark, dictionary, plain bytes, what the codec made`.
///
/// Both numbers are LEB128. The dictionary names its codec (`StoredDictionary`). SQLite stores a packed
/// body as a blob and any other as text.
struct PackedBody {
    /// Distinguishes it from text.
    static let mark = UInt8(divan_packed_mark)

    /// The dictionary's number, 1 or more.
    let dictionary: UInt64
    /// Bytes of the body, at most `StorageLimits.bodyByteCount`.
    let plainByteCount: Int
    /// Where the codec's bytes begin.
    let offset: Int

    /// Reads the header before the codec's bytes; `nil` if it is not valid.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.first == Self.mark else { return nil }
        var offset = 1
        guard let dictionary = Varint.read(bytes.span, at: &offset), dictionary > 0,
            let count = Varint.read(bytes.span, at: &offset),
            let plainByteCount = Int(exactly: count),
            (1...StorageLimits.bodyByteCount).contains(plainByteCount)
        else { return nil }
        (self.dictionary, self.plainByteCount, self.offset) = (dictionary, plainByteCount, offset)
    }

    /// The header before the codec's bytes.
    static func head(dictionary: UInt64, plainByteCount: Int) -> [UInt8] {
        var bytes = [mark]
        Varint.append(dictionary, to: &bytes)
        Varint.append(UInt64(plainByteCount), to: &bytes)
        return bytes
    }

    /// Whether a stored body is a packed one.
    static func isPacked(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { bytes.first == mark }
}

/// A dictionary as stored under its number (`SQLiteDictionaries`): codec, collection, content.
///
/// It is stored in the transaction of the first row that refers to it, and never changed.
struct StoredDictionary {
    let codec: UInt8
    let collection: CollectionID
    let content: [UInt8]

    init(codec: UInt8, collection: CollectionID, content: [UInt8]) {
        (self.codec, self.collection, self.content) = (codec, collection, content)
    }

    /// Reads a value; `nil` if it is not a dictionary.
    init?(_ value: [UInt8]) {
        var offset = 1
        guard let codec = value.first, let number = Varint.read(value.span, at: &offset),
            let collection = Int64(exactly: number)
        else { return nil }
        self.init(
            codec: codec,
            collection: CollectionID(rawValue: collection),
            content: Array(value[offset...])
        )
    }

    var value: [UInt8] {
        var bytes = [codec]
        Varint.append(UInt64(clamping: collection.rawValue), to: &bytes)
        return bytes + content
    }
}
