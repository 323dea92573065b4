/// The ID of a revision: in a tree `generation-digest`, with version vectors `time@source`.
///
/// The scheme of a database determines which form it writes; all other code accepts both. Stored inline without
/// heap memory: 56 bytes. IDs of a tree sort by generation, then by the bytes of the digest; a digest that is a
/// prefix of another comes before it. Versions sort by time, then by source, and after every tree ID whose
/// generation is below the lowest time.
///
/// Source: `revisions.md` §1, `version-vectors.md` §2.
public struct RevisionID: Sendable {
    /// The maximum generation, 2³²−1 as in Couchbase Lite; no revision can follow it.
    public static let maximumGeneration = UInt64(UInt32.max)
    /// The maximum number of bytes in a digest, as in Couchbase Lite (`revisions.md` §1).
    public static let maximumDigestByteCount = 40

    /// The generation in a tree, or the time of a version, by which revisions are ordered.
    ///
    /// A time from a clock is greater than every generation.
    public let timestamp: UInt64

    // The digest's bytes from the left, eight to a word, the first byte of each word highest, and
    // zeros after the last: so words compare as the bytes do. A source's bytes in the same way.
    let words: [5 of UInt64]
    // 0 for a version.
    private let digestByteCountStored: UInt8

    /// Whether the ID is a version, not a tree ID.
    public var isVersion: Bool { digestByteCountStored == 0 }

    /// The number of revisions from the root to this revision, 1 to `maximumGeneration`; 0 for a version.
    public var generation: UInt64 { isVersion ? 0 : timestamp }

    /// Bytes in the digest: 1 to 40; 0 for a version.
    public var digestByteCount: Int { Int(digestByteCountStored) }

    /// The first eight bytes of the digest, the first one highest.
    var digestStart: UInt64 { words[0] }

    /// Creates the ID of a version.
    public init(_ version: Version) {
        timestamp = version.time
        var words = [5 of UInt64](repeating: 0)
        (words[0], words[1]) = version.source.words
        self.words = words
        digestByteCountStored = 0
    }

    /// The version; `nil` for a tree ID.
    public var version: Version? {
        guard isVersion else { return nil }
        return Version(checked: timestamp, SourceID(words: (words[0], words[1])))
    }

    /// Creates a tree ID, or `nil` if a part is outside its range.
    ///
    /// - Parameters:
    ///   - generation: 1 to `maximumGeneration`.
    ///   - digestBytes: 1 to 40 bytes.
    public init?(generation: UInt64, digestBytes: Span<UInt8>) {
        guard digestBytes.count <= Self.maximumDigestByteCount else { return nil }
        var words = [5 of UInt64](repeating: 0)
        withUnsafeMutableBytes(of: &words) { words in
            // There are 40 bytes, and no more are copied.
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
        timestamp = generation
        self.words = words
        digestByteCountStored = UInt8(digestByteCount)
    }

    /// Appends the digest's bytes.
    func appendDigestBytes(to output: inout [UInt8]) {
        var words = words
        for index in words.indices { words[index] = words[index].bigEndian }
        // At most 40 bytes, the size of the words.
        withUnsafeBytes(of: words) { words in
            words.withMemoryRebound(to: UInt8.self) { bytes in
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<digestByteCount]))
            }
        }
    }
}

extension RevisionID: Hashable, Comparable {
    /// Whether both IDs are equal.
    public static func == (left: RevisionID, right: RevisionID) -> Bool {
        guard left.timestamp == right.timestamp,
            left.digestByteCountStored == right.digestByteCountStored
        else { return false }
        for offset in left.words.indices where left.words[offset] != right.words[offset] {
            return false
        }
        return true
    }

    /// Whether `left` comes before `right`.
    public static func < (left: RevisionID, right: RevisionID) -> Bool {
        if left.timestamp != right.timestamp { return left.timestamp < right.timestamp }
        for offset in left.words.indices where left.words[offset] != right.words[offset] {
            return left.words[offset] < right.words[offset]
        }
        return left.digestByteCountStored < right.digestByteCountStored
    }

    /// Hashes the generation and the digest, or the time and the source.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(timestamp)
        // Sixteen bytes of a digest distinguish IDs; the rest would only cost time.
        hasher.combine(words[0])
        hasher.combine(words[1])
    }
}
