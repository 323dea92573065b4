/// The information about the mesh that two linked peers exchange.
///
/// A message is at once a heartbeat, a statement about the link, and a list of peers: the sender first, then those
/// about whom it has news. Numbers are big-endian.
///
/// ```
/// message  version (1) · flags (1) · number (4) · record count (1) · records
/// record   condition and flags (1) · ID (32) · counter (4) · age in seconds (2) · scheme (1)
///          · neighbour count (1) · neighbours (6 each)
///          · address count (1) · addresses (length (1) and bytes each)
/// ```
///
/// The reader checks every length before it uses it and stops at the first violation. `MeshLimits` bounds the
/// message, its records, and their lists. Flags that are not defined are ignored.
public struct GossipMessage: Equatable, Sendable {
    /// Whether the sender needs the link.
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
        /// It has left the mesh.
        case left = 2
    }

    /// The information that one peer has about another.
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
        byteCount = GossipLayout.headByteCount + sender.byteCount
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

extension GossipMessage {
    /// The encoded message.
    public var bytes: [UInt8] {
        var writer = GossipWriter(from: EncodedRecord(records[0]), interest, number)
        for record in records.dropFirst() { _ = writer.append(EncodedRecord(record)) }
        return writer.bytes
    }
}

extension GossipMessage.Record {
    fileprivate var byteCount: Int {
        GossipLayout.recordByteCount + announcement.neighbours.count * MeshPeerPrefix.byteCount
            + addresses.reduce(0) { $0 + 1 + $1.bytes.count }
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
        guard try reader.byte() == GossipLayout.version else { throw .unsupportedVersion }
        let interest = Interest(rawValue: try reader.byte() & GossipLayout.flagMask)
        let number = MeshCounter(rawValue: UInt32(try reader.number(4)))
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
