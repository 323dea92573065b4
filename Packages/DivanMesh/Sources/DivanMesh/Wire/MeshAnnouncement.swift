internal import DivanCrypto

/// The information that a peer publishes about itself: its ID, its revision scheme and the peers that it is linked to.
///
/// It travels in two ways: in the TXT record of a DNS-SD service, which everyone on the network segment reads at once,
/// and as a record of a gossip message (``GossipMessage``), from link to link. Neither is signed. Only the TLS
/// handshake proves an ID, so an announcement can at worst cause a call that fails.
///
/// | TXT key | value |
/// |---|---|
/// | `v` | `1`; a service with another version is not a peer |
/// | `id` | the ID, 43 characters of base64url |
/// | `s` | the counter, decimal |
/// | `r` | the revision scheme: `3` for trees, `4` for vectors |
/// | `nb` | six bytes of the ID of each neighbour, base64url |
/// | `p` | `1` for a partial peer; missing for one that carries everything |
///
/// Unknown keys are ignored; of equal keys, the first counts (RFC 6763 §6.4).
public struct MeshAnnouncement: Hashable, Sendable {
    /// The peer.
    public let peer: MeshPeerID
    /// The number of this announcement.
    public var counter: MeshCounter
    /// The revision scheme: 3 for revision trees, 4 for version vectors.
    public var scheme: UInt8
    /// The peers to which it has an open link, at most `MeshLimits.neighbourCount`.
    public var neighbours: [MeshPeerPrefix]
    /// Whether it subscribes to a part of the documents, or filters them, and so cannot carry all to others.
    public var isPartial: Bool

    /// Describes a peer.
    public init(
        peer: MeshPeerID,
        counter: MeshCounter,
        scheme: UInt8,
        neighbours: [MeshPeerPrefix] = [],
        isPartial: Bool = false
    ) {
        self.peer = peer
        self.counter = counter
        self.scheme = scheme
        self.neighbours = Array(neighbours.prefix(MeshLimits.neighbourCount))
        self.isPartial = isPartial
    }
}

// MARK: - TXT record

extension MeshAnnouncement {
    /// The strings of the TXT record, `key=value`.
    public var textStrings: [[UInt8]] {
        // The compiler crashes without optimization if `span` follows `flatMap` in the expression.
        let neighbours = neighbours.flatMap(\.bytes)
        return [
            Array("v=1".utf8),
            Array("id=".utf8) + Base64URL.encode(peer.bytes.span).utf8,
            Array("s=\(counter.rawValue)".utf8),
            Array("r=\(scheme)".utf8),
            Array("nb=".utf8) + Base64URL.encode(neighbours.span).utf8,
        ] + (isPartial ? [Array("p=1".utf8)] : [])
    }

    /// Parses the strings of a TXT record.
    ///
    /// - Throws: `MeshError` if the record is too large, of another version, or has an invalid or no value for a key.
    public init(textStrings: [[UInt8]]) throws(MeshError) {
        let byteCount = textStrings.reduce(0) { $0 + $1.count + 1 }
        guard byteCount <= MeshLimits.announcementByteCount else {
            throw .tooLong(byteCount: byteCount, limit: MeshLimits.announcementByteCount)
        }
        let values = TextValues(textStrings)
        guard let version = values.number("v"), version == 1 else { throw .unsupportedVersion }
        guard let bytes = values["id"].flatMap({ Base64URL.decode($0) }),
            let peer = MeshPeerID(bytes.span)
        else { throw .invalidValue(key: "id") }
        guard let counter = values.number("s").flatMap({ UInt32(exactly: $0) }) else {
            throw .invalidValue(key: "s")
        }
        guard let scheme = values.number("r").flatMap({ UInt8(exactly: $0) }) else {
            throw .invalidValue(key: "r")
        }
        guard let list = Base64URL.decode(values["nb"] ?? []),
            list.count.isMultiple(of: MeshPeerPrefix.byteCount),
            list.count <= MeshLimits.neighbourCount * MeshPeerPrefix.byteCount
        else { throw .invalidValue(key: "nb") }
        let neighbours = stride(from: 0, to: list.count, by: MeshPeerPrefix.byteCount).compactMap {
            MeshPeerPrefix(list[$0..<($0 + MeshPeerPrefix.byteCount)])
        }
        self.init(
            peer: peer,
            counter: MeshCounter(rawValue: counter),
            scheme: scheme,
            neighbours: neighbours,
            isPartial: values.number("p") == 1
        )
    }
}

/// The values of a TXT record by their keys, whose case does not matter.
private struct TextValues {
    private let pairs: [(key: [UInt8], value: ArraySlice<UInt8>)]

    init(_ strings: [[UInt8]]) {
        pairs = strings.map { string in
            let key = string.prefix { $0 != UInt8(ascii: "=") }
            return (key.map(Self.lowercased), string.dropFirst(key.count + 1))
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte + 32 : byte
    }

    subscript(key: StaticString) -> ArraySlice<UInt8>? {
        let key = key.withUTF8Buffer { Array($0) }
        return pairs.first { $0.key == key }?.value
    }

    /// A decimal number without sign and without leading zeros.
    func number(_ key: StaticString) -> Int? {
        guard let digits = self[key], (1...10).contains(digits.count),
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
