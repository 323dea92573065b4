/// What two linked peers tell each other about the mesh.
///
/// A message is at once a heartbeat, a statement about the link, and a list of peers: the sender first, then those
/// about whom it has news. Numbers are big-endian.
///
/// ```
/// message  version (1) · flags (1) · number (4) · record count (1) · records
/// record   flags (1) · ID (32) · counter (4) · age in seconds (2) · scheme (1)
///          · neighbour count (1) · neighbours (6 each)
///          · address count (1) · addresses (length (1) and bytes each)
/// ```
///
/// The reader checks every length before it uses it and stops at the first violation. `MeshLimits` bounds the
/// message, its records, and their lists. Flags that are not defined are ignored.
public struct GossipMessage: Equatable, Sendable {
    /// What the sender thinks of the link.
    public enum Interest: UInt8, Sendable {
        /// The sender does not need the link, and agrees to close it.
        case none = 0
        /// The sender's plan contains the link.
        case wanted = 1
        /// The sender's plan depends on the link: the last one to give up.
        case essential = 2
    }

    /// Whether a peer runs, according to the sender.
    public enum Condition: UInt8, Sendable {
        /// The peer is a member of the sender's part of the mesh.
        case running = 0
        /// No other peer lists it any more, and it does not answer calls.
        case unanswered = 1
        /// It has said goodbye.
        case left = 2
    }

    /// What one peer knows about another.
    public struct Record: Equatable, Sendable {
        /// What the peer published last.
        public var announcement: MeshAnnouncement
        /// Where it accepts connections, the best first, at most `MeshLimits.addressCount`.
        public var addresses: [MeshAddress]
        /// How long ago it was last known to run, in seconds.
        public var age: UInt16
        /// Whether it runs.
        public var condition: Condition

        /// Describes a peer.
        public init(
            _ announcement: MeshAnnouncement,
            addresses: [MeshAddress] = [],
            age: UInt16 = 0,
            condition: Condition = .running
        ) {
            self.announcement = announcement
            self.addresses = Array(addresses.prefix(MeshLimits.addressCount))
            self.age = age
            self.condition = condition
        }
    }

    /// The sender's interest in the link.
    public var interest: Interest
    /// Counts the messages of a link, so that an overtaken one is recognized.
    public var number: MeshCounter
    /// The sender's own record first; never empty, at most `MeshLimits.recordCount`.
    public private(set) var records: [Record]

    /// Creates a message; further records are added by `append`.
    public init(from sender: Record, interest: Interest = .none, number: MeshCounter) {
        self.interest = interest
        self.number = number
        records = [sender]
        byteCount = Layout.headByteCount + sender.byteCount
    }

    /// Bytes of the encoded message.
    public private(set) var byteCount: Int

    /// Adds a record; returns false, and does nothing, if the message is full.
    public mutating func append(_ record: Record) -> Bool {
        guard records.count < MeshLimits.recordCount,
            byteCount + record.byteCount <= MeshLimits.messageByteCount
        else { return false }
        records.append(record)
        byteCount += record.byteCount
        return true
    }
}

private enum Layout {
    static let version: UInt8 = 1
    static let headByteCount = 7
    static let recordByteCount = 42
    /// Of the flags, the two bits that are defined.
    static let flagMask: UInt8 = 3
}

// MARK: - Writing

extension GossipMessage {
    /// The encoded message.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes.append(Layout.version)
        bytes.append(interest.rawValue)
        bytes.append(bigEndian: number.rawValue)
        bytes.append(UInt8(records.count))
        for record in records { record.write(to: &bytes) }
        return bytes
    }
}

extension GossipMessage.Record {
    fileprivate var byteCount: Int {
        Layout.recordByteCount + announcement.neighbours.count * MeshPeerPrefix.byteCount
            + addresses.reduce(0) { $0 + 1 + $1.bytes.count }
    }

    fileprivate func write(to bytes: inout [UInt8]) {
        bytes.append(condition.rawValue)
        bytes += announcement.peer.bytes
        bytes.append(bigEndian: announcement.counter.rawValue)
        bytes.append(bigEndian: age)
        bytes.append(announcement.scheme)
        bytes.append(UInt8(announcement.neighbours.count))
        for neighbour in announcement.neighbours { bytes += neighbour.bytes }
        bytes.append(UInt8(addresses.count))
        for address in addresses {
            bytes.append(UInt8(address.bytes.count))
            bytes += address.bytes
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

// MARK: - Reading

extension GossipMessage {
    /// Reads a message that a peer sent.
    ///
    /// The first record must be that of `sender`, the peer at the other end of the link. Throws `MeshError` with the
    /// first violation.
    public init(reading bytes: [UInt8], from sender: MeshPeerID) throws(MeshError) {
        guard bytes.count <= MeshLimits.messageByteCount else {
            throw .tooLong(byteCount: bytes.count, limit: MeshLimits.messageByteCount)
        }
        var reader = GossipReader(bytes)
        guard try reader.number(UInt8.self) == Layout.version else { throw .unsupportedVersion }
        let interest = Interest(rawValue: try reader.number(UInt8.self) & Layout.flagMask)
        let number = MeshCounter(rawValue: try reader.number(UInt32.self))
        let count = try reader.count(atMost: MeshLimits.recordCount, of: "records")
        guard count > 0 else { throw .foreignRecord }
        let first = try reader.record()
        guard first.announcement.peer == sender else { throw .foreignRecord }
        self.init(from: first, interest: interest ?? .none, number: number)
        for _ in 1..<count {
            // What was read is not longer than the message, so there is room for it.
            _ = append(try reader.record())
        }
        guard reader.isAtEnd else { throw .trailingBytes(byteCount: reader.restByteCount) }
    }
}

/// Reads numbers and lists from the front of a message.
private struct GossipReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }
    var restByteCount: Int { rest.count }

    private mutating func take(_ count: Int) throws(MeshError) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw .truncated(missingByteCount: count - rest.count) }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type
    ) throws(MeshError) -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func count(atMost limit: Int, of items: String) throws(MeshError) -> Int {
        let count = Int(try number(UInt8.self))
        guard count <= limit else { throw .tooMany(items, count: count, limit: limit) }
        return count
    }

    mutating func record() throws(MeshError) -> GossipMessage.Record {
        let condition = GossipMessage.Condition(
            rawValue: try number(UInt8.self) & Layout.flagMask
        )
        let id = Array(try take(MeshPeerID.byteCount))
        guard let peer = MeshPeerID(id.span) else { throw .invalidValue(key: "id") }
        let counter = MeshCounter(rawValue: try number(UInt32.self))
        let age = try number(UInt16.self)
        let scheme = try number(UInt8.self)
        var neighbours: [MeshPeerPrefix] = []
        for _ in 0..<(try count(atMost: MeshLimits.neighbourCount, of: "neighbours")) {
            if let prefix = MeshPeerPrefix(try take(MeshPeerPrefix.byteCount)) {
                neighbours.append(prefix)
            }
        }
        var addresses: [MeshAddress] = []
        for _ in 0..<(try count(atMost: MeshLimits.addressCount, of: "addresses")) {
            addresses.append(try MeshAddress(try take(Int(try number(UInt8.self)))))
        }
        let announcement = MeshAnnouncement(
            peer: peer,
            counter: counter,
            scheme: scheme,
            neighbours: neighbours
        )
        return GossipMessage.Record(
            announcement,
            addresses: addresses,
            age: age,
            condition: condition ?? .running
        )
    }
}
