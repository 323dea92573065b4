/// One end of a TCP connection.
struct CapturedEndpoint: Hashable {
    /// 4 or 16 bytes.
    let address: [UInt8]
    let port: UInt16
}

/// The TCP part of a packet.
///
/// Source: RFC 791 §3.1, RFC 8200 §3 and §4, RFC 9293 §3.1; the list of link types at tcpdump.org.
struct TCPSegment {
    let source: CapturedEndpoint
    let destination: CapturedEndpoint
    let sequence: UInt32
    let opens: Bool  // SYN without ACK: the client's first
    let synchronizes: Bool
    let ends: Bool  // FIN or RST
    let payload: ArraySlice<UInt8>

    /// Parses a packet; `nil` if it is not a complete TCP segment over IP.
    init?(_ packet: CaptureReader.Packet) {
        guard let start = Self.internetStart(packet) else { return nil }
        let bytes = packet.bytes[start...]
        guard let version = bytes.first.map({ $0 >> 4 }) else { return nil }
        let parts = version == 4 ? Self.version4(bytes) : version == 6 ? Self.version6(bytes) : nil
        guard let (from, to, segment) = parts else { return nil }
        self.init(segment, from: from, to: to)
    }

    private init?(_ bytes: ArraySlice<UInt8>, from: [UInt8], to: [UInt8]) {
        guard bytes.count >= 20 else { return nil }
        let start = bytes.startIndex
        let headerByteCount = Int(bytes[start + 12] >> 4) * 4
        guard headerByteCount >= 20, headerByteCount <= bytes.count else { return nil }
        let flags = bytes[start + 13]
        source = CapturedEndpoint(address: from, port: Self.short(bytes, 0))
        destination = CapturedEndpoint(address: to, port: Self.short(bytes, 2))
        sequence = UInt32(Self.short(bytes, 4)) << 16 | UInt32(Self.short(bytes, 6))
        synchronizes = flags & 0x02 != 0
        opens = flags & 0x12 == 0x02
        ends = flags & 0x05 != 0
        payload = bytes.dropFirst(headerByteCount)
    }

    /// Where the IP header begins, for each link type.
    private static func internetStart(_ packet: CaptureReader.Packet) -> Int? {
        let bytes = packet.bytes
        switch packet.linkType {
        case 0: return bytes.count >= 4 ? 4 : nil  // loopback of BSD
        case 12, 14, 101, 228, 229: return 0  // IP alone
        case 113: return bytes.count >= 16 ? 16 : nil  // tcpdump -i any
        case 276: return bytes.count >= 20 ? 20 : nil  // the same, newer
        case 1:
            guard bytes.count >= 14 else { return nil }
            let isTagged = short(bytes[...], 12) == 0x8100
            return isTagged ? (bytes.count >= 18 ? 18 : nil) : 14
        default: return nil
        }
    }

    private typealias Parts = (from: [UInt8], to: [UInt8], segment: ArraySlice<UInt8>)

    private static func version4(_ bytes: ArraySlice<UInt8>) -> Parts? {
        guard bytes.count >= 20 else { return nil }
        let start = bytes.startIndex
        let headerByteCount = Int(bytes[start] & 0x0F) * 4
        // 0 if the card will split it; then the packet's end counts.
        let stated = Int(short(bytes, 2))
        let byteCount = stated == 0 ? bytes.count : stated
        let isFragment = short(bytes, 6) & 0x3FFF != 0
        guard bytes[start + 9] == 6, !isFragment, headerByteCount >= 20,
            headerByteCount <= byteCount, byteCount <= bytes.count
        else { return nil }
        return (
            Array(bytes[start + 12..<start + 16]), Array(bytes[start + 16..<start + 20]),
            bytes[start + headerByteCount..<start + byteCount]
        )
    }

    private static func version6(_ bytes: ArraySlice<UInt8>) -> Parts? {
        guard bytes.count >= 40 else { return nil }
        let start = bytes.startIndex
        let stated = Int(short(bytes, 4))
        let end = stated == 0 ? bytes.endIndex : start + 40 + stated
        guard end <= bytes.endIndex else { return nil }
        var (next, offset) = (bytes[start + 6], start + 40)
        while [0, 43, 60].contains(next) {
            guard offset + 8 <= end else { return nil }
            next = bytes[offset]
            offset += 8 + Int(bytes[offset + 1]) * 8
        }
        guard next == 6, offset <= end else { return nil }
        return (
            Array(bytes[start + 8..<start + 24]), Array(bytes[start + 24..<start + 40]),
            bytes[offset..<end]
        )
    }

    private static func short(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt16 {
        let start = bytes.startIndex + offset
        return UInt16(bytes[start]) << 8 | UInt16(bytes[start + 1])
    }
}

/// Puts the segments of one direction in order, each byte once.
struct TCPStream {
    private var next: UInt32?
    private var ahead: [(sequence: UInt32, bytes: [UInt8])] = []
    private var aheadByteCount = 0

    /// Segments that may wait for a late one; a receiver's window holds about as many.
    private static let aheadCount = 4096

    /// Bytes are missing permanently.
    struct Gap: Error {}

    /// Begins at a sequence number.
    mutating func begin(at sequence: UInt32) {
        next = sequence
    }

    /// Takes a segment; returns the bytes that are now in order.
    mutating func receive(_ sequence: UInt32, _ payload: ArraySlice<UInt8>) throws(Gap) -> [UInt8] {
        guard !payload.isEmpty else { return [] }
        let expected = next ?? sequence
        next = expected
        guard Self.distance(of: sequence, from: expected) <= 0 else {
            ahead.append((sequence, Array(payload)))
            aheadByteCount += payload.count
            guard ahead.count <= Self.aheadCount, aheadByteCount <= WireLimits.aheadByteCount else {
                throw Gap()
            }
            return []
        }
        var bytes: [UInt8] = []
        add(sequence, payload, to: &bytes)
        // Bytes that were already known close no gap: those that wait need not be examined.
        guard !ahead.isEmpty, !bytes.isEmpty else { return bytes }
        ahead.sort { left, right in
            Self.distance(of: left.sequence, from: expected)
                < Self.distance(of: right.sequence, from: expected)
        }
        var takenCount = 0
        for segment in ahead {
            guard let next, Self.distance(of: segment.sequence, from: next) <= 0 else { break }
            takenCount += 1
            aheadByteCount -= segment.bytes.count
            add(segment.sequence, segment.bytes[...], to: &bytes)
        }
        ahead.removeFirst(takenCount)
        return bytes
    }

    /// Appends the new bytes of a segment that begins at our position, or before.
    private mutating func add(
        _ sequence: UInt32,
        _ payload: ArraySlice<UInt8>,
        to bytes: inout [UInt8]
    ) {
        guard let next else { return }
        let known = -Self.distance(of: sequence, from: next)
        guard known < payload.count else { return }
        bytes += payload.dropFirst(known)
        self.next = next &+ UInt32(truncatingIfNeeded: payload.count - known)
    }

    /// Sequence numbers wrap around: a number less than half the range ahead is later.
    private static func distance(of sequence: UInt32, from origin: UInt32) -> Int {
        Int(Int32(bitPattern: sequence &- origin))
    }
}
