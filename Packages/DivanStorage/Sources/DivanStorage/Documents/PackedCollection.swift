/// How the bodies of a collection are packed; stored in the space `packing` under the collection's number.
public struct PackedCollection: Equatable {
    /// The codec's number.
    public let codec: UInt8
    /// The dictionary of new bodies; 0 while there are too few documents to make one.
    public var dictionary: UInt64 = 0

    /// Turns compression on with the codec of this number; there is no dictionary yet.
    public init(codec: UInt8) {
        self.codec = codec
    }

    /// Reads a value; `nil` if it is not valid.
    public init?(_ value: [UInt8]) {
        var offset = 1
        guard let codec = value.first, codec > 0,
            let dictionary = Varint.read(value.span, at: &offset), offset == value.count
        else { return nil }
        (self.codec, self.dictionary) = (codec, dictionary)
    }

    /// The value to store.
    public var value: [UInt8] {
        var bytes = [codec]
        Varint.append(dictionary, to: &bytes)
        return bytes
    }

    /// The key of a collection.
    public static func key(_ collection: CollectionID) -> String { String(collection.rawValue) }
}
