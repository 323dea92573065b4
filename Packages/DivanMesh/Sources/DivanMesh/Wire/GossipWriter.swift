/// The parts of a gossip message that reader and writer share.
enum GossipLayout {
    static let version: UInt8 = 1
    static let headByteCount = 7
    static let recordByteCount = 42
    /// Of a message's flags, the interest; of a record's, the condition.
    static let flagMask: UInt8 = 3
    /// Of a record's flags, that the peer is partial.
    static let partialFlag: UInt8 = 4
}

/// A record of a gossip message as bytes, ready to be copied into messages.
///
/// A peer says the same of others on each of its links, again and again, so it encodes a record once.
struct EncodedRecord: Sendable {
    private(set) var bytes: [UInt8] = []

    /// Where the condition and the age are.
    private static let conditionOffset = 0
    private static let ageOffset = 1 + MeshPeerID.byteCount + 4

    init(_ record: GossipMessage.Record) {
        let announcement = record.announcement
        bytes.reserveCapacity(128)
        let partialFlag = announcement.isPartial ? GossipLayout.partialFlag : 0
        bytes.append(record.condition.rawValue | partialFlag)
        bytes += announcement.peer.bytes
        append(UInt64(announcement.counter.rawValue), byteCount: 4)
        append(UInt64(record.age), byteCount: 2)
        bytes.append(announcement.scheme)
        bytes.append(UInt8(announcement.neighbours.count))
        for neighbour in announcement.neighbours {
            append(neighbour.bits, byteCount: MeshPeerPrefix.byteCount)
        }
        bytes.append(UInt8(record.addresses.count))
        for address in record.addresses {
            bytes.append(UInt8(address.bytes.count))
            bytes += address.bytes
        }
    }

    /// Appends a number, its first byte highest.
    private mutating func append(_ number: UInt64, byteCount: Int) {
        var shift = 8 * UInt64(byteCount)
        while shift > 0 {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Changes the age and the condition.
    mutating func set(age: UInt16, _ condition: GossipMessage.Condition) {
        let flags = bytes[Self.conditionOffset] & ~GossipLayout.flagMask | condition.rawValue
        let (high, low) = (UInt8(age >> 8), UInt8(truncatingIfNeeded: age))
        let offset = Self.ageOffset
        guard
            bytes[Self.conditionOffset] != flags || bytes[offset] != high
                || bytes[offset + 1] != low
        else { return }
        bytes[Self.conditionOffset] = flags
        bytes[offset] = high
        bytes[offset + 1] = low
    }
}

/// Puts records together into a gossip message.
struct GossipWriter {
    /// The message so far; the number of its records is not yet right.
    private var message: [UInt8] = []
    private(set) var recordCount = 1

    private static let countOffset = GossipLayout.headByteCount - 1

    /// Begins a message with the sender's own record.
    init(from sender: EncodedRecord, _ interest: GossipMessage.Interest, _ number: MeshCounter) {
        message.reserveCapacity(2_048)
        message.append(GossipLayout.version)
        message.append(interest.rawValue)
        let number = number.rawValue
        message.append(UInt8(truncatingIfNeeded: number >> 24))
        message.append(UInt8(truncatingIfNeeded: number >> 16))
        message.append(UInt8(truncatingIfNeeded: number >> 8))
        message.append(UInt8(truncatingIfNeeded: number))
        message.append(1)
        message += sender.bytes
    }

    /// Adds a record; returns false, and does nothing, if the message is full.
    mutating func append(_ record: EncodedRecord) -> Bool {
        guard recordCount < MeshLimits.recordCount,
            message.count + record.bytes.count <= MeshLimits.messageByteCount
        else { return false }
        message += record.bytes
        recordCount += 1
        return true
    }

    /// The encoded message.
    var bytes: [UInt8] {
        var bytes = message
        bytes[Self.countOffset] = UInt8(recordCount)
        return bytes
    }
}
