/// The keys that all bodies of a database share, by number.
public struct SharedKeys: Sendable {
    /// One key, ready to be written.
    struct Key: Sendable {
        let bytes: [UInt8]
        /// In quotes, with a colon.
        let text: [UInt8]
        /// Its rank among all keys by their bytes.
        var rank = 0
    }

    let keys: [Key]

    /// Creates a table without keys.
    public init() {
        keys = []
    }

    /// Reads the table: an array of strings.
    ///
    /// - Throws: `RecordDamage`; without the table no body can be read.
    public init(fleece bytes: [UInt8]) throws(RecordDamage) {
        let fleece = Fleece(bytes)
        guard case .array(let items) = try fleece.root(),
            items.count <= CBLiteLimits.sharedKeyCount
        else { throw RecordDamage("the shared keys are not an array") }
        var keys: [Key] = []
        var byteCount = 0
        for index in 0..<items.count {
            guard case .string(let range) = try fleece.item(index, of: items) else {
                throw RecordDamage("shared key \(index) is not a string")
            }
            byteCount += range.count
            guard byteCount <= CBLiteLimits.sharedKeyByteCount else {
                throw RecordDamage("the shared keys exceed 4 MiB")
            }
            var text: [UInt8] = []
            try JSONText.appendQuoted(bytes.span.extracting(range), to: &text)
            text.append(UInt8(ascii: ":"))
            keys.append(Key(bytes: Array(bytes[range]), text: text))
        }
        let order = keys.indices.sorted {
            keys[$0].bytes.lexicographicallyPrecedes(keys[$1].bytes)
        }
        for (rank, index) in order.enumerated() {
            // A repeated key has one rank.
            let isAgain = rank > 0 && keys[order[rank - 1]].bytes == keys[index].bytes
            keys[index].rank = isAgain ? keys[order[rank - 1]].rank : rank
        }
        self.keys = keys
    }
}
