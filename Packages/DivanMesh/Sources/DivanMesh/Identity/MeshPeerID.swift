internal import DivanCrypto

/// The identity of a peer: the SHA-256 digest of its certificate (DER).
///
/// Everything that peers have to agree on follows from their IDs, so they agree without negotiating:
///
/// - **The ring.** The order of the bytes, with the lowest ID after the highest. `position`, the first eight bytes, is
///   the place on the ring, and distances are counted clockwise.
/// - **The pair hash.** A number for each pair, the same at both ends, and as good as random. A peer prefers those
///   with the lowest numbers, which spreads links evenly over the ring.
/// - **The caller.** Of two peers, the one that has the other in the half of the ring that follows it clockwise.
///
/// Certificates decide the digests, so an attacker who wants a certain place must create many certificates. That is
/// cheap for a few bits, and useless for more: a place on the ring gives no rights.
public struct MeshPeerID: Hashable, Sendable {
    // The bytes from the left, eight to a word, the first byte of each word highest.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Bytes of an ID.
    public static let byteCount = 32

    /// Creates an ID from 32 bytes; `nil` for any other number of bytes.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        first = bytes.word(at: 0)
        second = bytes.word(at: 8)
        third = bytes.word(at: 16)
        fourth = bytes.word(at: 24)
    }

    /// Creates the ID of the owner of a certificate in DER form.
    public init(certificate: Span<UInt8>) {
        let digest = SHA256.digest(of: certificate)
        first = digest.span.word(at: 0)
        second = digest.span.word(at: 8)
        third = digest.span.word(at: 16)
        fourth = digest.span.word(at: 24)
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        var span = bytes.mutableSpan
        write(to: &span, at: 0)
        return bytes
    }

    private func write(to bytes: inout MutableSpan<UInt8>, at start: Int) {
        var raw = bytes.mutableBytes
        for (index, word) in [first, second, third, fourth].enumerated() {
            raw.storeBytes(of: word.bigEndian, toByteOffset: start + 8 * index, as: UInt64.self)
        }
    }

    /// The first six bytes, by which neighbour lists refer to a peer.
    public var prefix: MeshPeerPrefix { MeshPeerPrefix(bits: first >> 16) }

    /// The place on the ring.
    public var position: UInt64 { first }

    /// How far it is clockwise from this peer to the other.
    public func distance(to other: MeshPeerID) -> UInt64 { other.position &- position }

    /// Whether this peer is the caller of the pair.
    ///
    /// Exactly one of two different peers is: at equal and at opposite places, the one with the lower ID.
    public func isCaller(of other: MeshPeerID) -> Bool {
        let (there, back) = (distance(to: other), other.distance(to: self))
        return there == back ? self < other : there < back
    }

    /// The hash of the pair: the first eight bytes of SHA-256 of the lower and the higher ID.
    public func pairHash(with other: MeshPeerID) -> UInt64 {
        let (lower, higher) = self < other ? (self, other) : (other, self)
        var both = [UInt8](repeating: 0, count: 2 * Self.byteCount)
        var span = both.mutableSpan
        lower.write(to: &span, at: 0)
        higher.write(to: &span, at: Self.byteCount)
        return SHA256.digest(of: both.span).span.word(at: 0)
    }

    /// The name under which the peer is advertised: the first 60 bits as 12 characters of base32.
    public var instanceName: String {
        let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        let characters = (0..<12).map { digits[Int(first >> UInt64(59 - 5 * $0) & 31)] }
        return String(decoding: characters, as: UTF8.self)
    }
}

extension MeshPeerID: Comparable {
    /// Whether one ID comes before another in the order of their bytes.
    public static func < (left: MeshPeerID, right: MeshPeerID) -> Bool {
        (left.first, left.second, left.third, left.fourth)
            < (right.first, right.second, right.third, right.fourth)
    }
}

extension MeshPeerID: CustomStringConvertible {
    /// The bytes as 64 hexadecimal digits.
    public var description: String { Hex.encode(bytes.span) }
}

/// The first six bytes of a peer's ID.
///
/// Two of 1,000 honest peers share a prefix in one of 500 million meshes; then one of them is linked to by calls of
/// its own only.
public struct MeshPeerPrefix: Hashable, Sendable {
    /// The bytes as a number of 48 bits, the first byte highest.
    let bits: UInt64

    /// Bytes of a prefix.
    static let byteCount = 6

    init(bits: UInt64) {
        self.bits = bits
    }

    /// Creates a prefix from six bytes; `nil` for any other number of bytes.
    public init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The six bytes.
    public var bytes: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: bits >> UInt64(40 - 8 * $0)) }
    }
}

extension Span<UInt8> {
    /// Eight bytes as a number, the first byte highest.
    fileprivate func word(at start: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in start..<(start + 8) { word = word << 8 | UInt64(self[index]) }
        return word
    }
}
