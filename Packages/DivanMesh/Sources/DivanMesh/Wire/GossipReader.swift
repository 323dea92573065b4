/// Reads numbers and lists from the front of a gossip message.
struct GossipReader {
    private let bytes: [UInt8]
    /// Where the next value begins, at most at the end.
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }
    var restByteCount: Int { bytes.count - position }

    private func require(_ count: Int) throws(MeshError) {
        guard restByteCount >= count else {
            throw .truncated(missingByteCount: count - restByteCount)
        }
    }

    mutating func byte() throws(MeshError) -> UInt8 {
        try require(1)
        defer { position += 1 }
        return bytes[position]
    }

    /// A number of up to eight bytes, the first byte highest.
    mutating func number(_ byteCount: Int) throws(MeshError) -> UInt64 {
        try require(byteCount)
        let end = position + byteCount
        var number: UInt64 = 0
        while position < end {
            number = number << 8 | UInt64(bytes[position])
            position += 1
        }
        return number
    }

    mutating func count(atMost limit: Int, of items: String) throws(MeshError) -> Int {
        let count = Int(try byte())
        guard count <= limit else { throw .tooMany(items, count: count, limit: limit) }
        return count
    }

    mutating func record() throws(MeshError) -> GossipMessage.Record {
        let flags = try byte()
        let condition = GossipMessage.Condition(rawValue: flags & GossipLayout.flagMask)
        try require(MeshPeerID.byteCount)
        let peer = MeshPeerID(
            words: try number(8),
            try number(8),
            try number(8),
            try number(8)
        )
        let counter = MeshCounter(rawValue: UInt32(try number(4)))
        let age = UInt16(try number(2))
        let scheme = try byte()
        var neighbours: [MeshPeerPrefix] = []
        for _ in 0..<(try count(atMost: MeshLimits.neighbourCount, of: "neighbours")) {
            neighbours.append(MeshPeerPrefix(bits: try number(MeshPeerPrefix.byteCount)))
        }
        var addresses: [MeshAddress] = []
        for _ in 0..<(try count(atMost: MeshLimits.addressCount, of: "addresses")) {
            let byteCount = Int(try byte())
            try require(byteCount)
            addresses.append(try MeshAddress(bytes[position..<(position + byteCount)]))
            position += byteCount
        }
        let announcement = MeshAnnouncement(
            peer: peer,
            counter: counter,
            scheme: scheme,
            neighbours: neighbours,
            isPartial: flags & GossipLayout.partialFlag != 0
        )
        return GossipMessage.Record(
            announcement,
            addresses: addresses,
            age: age,
            condition: condition ?? .running
        )
    }
}
