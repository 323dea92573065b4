/// The identity of one state of a document: `generation-digest`.
///
/// Held inline without heap memory: 56 bytes. Revision IDs sort by generation, then by the bytes
/// of the digest; a digest that is the beginning of another stands before it.
///
/// Source: `revisions.md` §1.
public struct RevisionID: Sendable {
    /// The greatest generation that is accepted, 2³²−1 as in Couchbase Lite; no revision can follow it.
    public static let maximumGeneration = UInt64(UInt32.max)
    /// The most bytes in a digest: what Couchbase Lite keeps (`revisions.md` §1).
    public static let maximumDigestByteCount = 40

    /// Revisions from the root to this one, itself included: 1 to `maximumGeneration`.
    public let generation: UInt64

    // The digest's bytes from the left, eight to a word, the first byte of each word highest, and
    // zeros behind the last: so words compare as the bytes do.
    let words: [5 of UInt64]
    private let digestByteCountStored: UInt8

    /// Bytes in the digest: 1 to 40.
    public var digestByteCount: Int { Int(digestByteCountStored) }

    /// Creates an ID, or `nil` when a part is outside its range.
    ///
    /// - Parameters:
    ///   - generation: 1 to `maximumGeneration`.
    ///   - digestBytes: 1 to 40 bytes.
    public init?(generation: UInt64, digestBytes: Span<UInt8>) {
        guard digestBytes.count <= Self.maximumDigestByteCount else { return nil }
        var words = [5 of UInt64](repeating: 0)
        withUnsafeMutableBytes(of: &words) { words in
            // 40 bytes are there, and no more are copied.
            digestBytes.withUnsafeBytes { words.copyMemory(from: $0) }
        }
        for index in words.indices { words[index] = UInt64(bigEndian: words[index]) }
        self.init(generation: generation, words: words, digestByteCount: digestBytes.count)
    }

    /// Takes the words of a digest of at most 40 bytes; `nil` when there are none, or the
    /// generation is outside its range.
    init?(generation: UInt64, words: [5 of UInt64], digestByteCount: Int) {
        guard 1...Self.maximumGeneration ~= generation,
            1...Self.maximumDigestByteCount ~= digestByteCount
        else { return nil }
        self.generation = generation
        self.words = words
        digestByteCountStored = UInt8(digestByteCount)
    }

    /// Appends the digest's bytes.
    func appendDigestBytes(to output: inout [UInt8]) {
        var words = words
        for index in words.indices { words[index] = words[index].bigEndian }
        // At most 40 bytes, which is what the words have.
        withUnsafeBytes(of: words) { output.append(contentsOf: $0.prefix(digestByteCount)) }
    }
}

extension RevisionID: Hashable, Comparable {
    /// Whether both are the same text.
    public static func == (left: RevisionID, right: RevisionID) -> Bool {
        guard left.generation == right.generation,
            left.digestByteCountStored == right.digestByteCountStored
        else { return false }
        for offset in left.words.indices where left.words[offset] != right.words[offset] {
            return false
        }
        return true
    }

    /// Whether `left` stands before `right`.
    public static func < (left: RevisionID, right: RevisionID) -> Bool {
        if left.generation != right.generation { return left.generation < right.generation }
        for offset in left.words.indices where left.words[offset] != right.words[offset] {
            return left.words[offset] < right.words[offset]
        }
        return left.digestByteCountStored < right.digestByteCountStored
    }

    /// Feeds the generation and the digest.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(generation)
        // Sixteen bytes of a digest tell IDs apart; the rest would only cost time.
        hasher.combine(words[0])
        hasher.combine(words[1])
    }
}
