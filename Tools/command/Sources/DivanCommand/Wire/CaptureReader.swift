import DivanCommandLine

/// Parses the packets of a capture in the format of `tcpdump -w`, as its bytes arrive.
///
/// Source: the manual page pcap-savefile(5).
struct CaptureReader {
    /// A packet as the network card delivered it.
    struct Packet {
        /// Seconds since 1970.
        let time: Double
        let linkType: UInt32
        let bytes: [UInt8]
    }

    private struct Layout {
        let isBigEndian: Bool
        let ticksPerSecond: Double
        let linkType: UInt32
    }

    private static let fileHeaderByteCount = 24
    private static let packetHeaderByteCount = 16

    private var buffer: [UInt8] = []
    private var consumedCount = 0
    private var layout: Layout?

    /// Whether a file begins like a capture, including pcapng.
    static func begins(_ start: [UInt8]) -> Bool {
        magic(of: start) != nil || isNextGeneration(start)
    }

    private static func magic(of start: [UInt8]) -> (isBigEndian: Bool, ticks: Double)? {
        switch Array(start.prefix(4)) {
        case [0xA1, 0xB2, 0xC3, 0xD4]: (true, 1e6)
        case [0xD4, 0xC3, 0xB2, 0xA1]: (false, 1e6)
        case [0xA1, 0xB2, 0x3C, 0x4D]: (true, 1e9)
        case [0x4D, 0x3C, 0xB2, 0xA1]: (false, 1e9)
        default: nil
        }
    }

    private static func isNextGeneration(_ start: [UInt8]) -> Bool {
        start.starts(with: [0x0A, 0x0D, 0x0D, 0x0A])
    }

    /// Takes bytes; returns the packets that they complete.
    mutating func receive(_ bytes: [UInt8]) throws(Failure) -> [Packet] {
        buffer.removeFirst(consumedCount)
        consumedCount = 0
        buffer += bytes
        var packets: [Packet] = []
        while let packet = try next() { packets.append(packet) }
        return packets
    }

    /// Whether the file ended within a packet, as when tcpdump is killed.
    var isCut: Bool { consumedCount < buffer.count }

    private mutating func next() throws(Failure) -> Packet? {
        guard let layout = try readLayout() else { return nil }
        guard buffer.count - consumedCount >= Self.packetHeaderByteCount else { return nil }
        let seconds = word(at: consumedCount, layout.isBigEndian)
        let ticks = word(at: consumedCount + 4, layout.isBigEndian)
        let byteCount = Int(word(at: consumedCount + 8, layout.isBigEndian))
        guard byteCount <= WireLimits.packetByteCount else {
            throw Failure(
                kind: .invalid,
                sentence: "the capture is damaged: it contains a packet of \(byteCount) bytes"
            )
        }
        let start = consumedCount + Self.packetHeaderByteCount
        guard buffer.count - start >= byteCount else { return nil }
        consumedCount = start + byteCount
        return Packet(
            time: Double(seconds) + Double(ticks) / layout.ticksPerSecond,
            linkType: layout.linkType,
            bytes: Array(buffer[start..<consumedCount])
        )
    }

    private mutating func readLayout() throws(Failure) -> Layout? {
        if let layout { return layout }
        guard buffer.count >= Self.fileHeaderByteCount else { return nil }
        guard let magic = Self.magic(of: buffer) else {
            throw Failure(
                kind: .invalid,
                sentence: "pcapng files are not supported",
                hint: "convert the file with 'editcap -F pcap', or record with 'tcpdump -w'"
            )
        }
        // The upper bits describe checksums at the end of frames, which are not used.
        let linkType = word(at: 20, magic.isBigEndian) & 0xFFFF
        let layout = Layout(
            isBigEndian: magic.isBigEndian,
            ticksPerSecond: magic.ticks,
            linkType: linkType
        )
        self.layout = layout
        consumedCount = Self.fileHeaderByteCount
        return layout
    }

    private func word(at offset: Int, _ isBigEndian: Bool) -> UInt32 {
        let bytes = buffer[offset..<offset + 4].map { UInt32($0) }
        let ordered = isBigEndian ? bytes : bytes.reversed()
        return ordered.reduce(0) { $0 << 8 | $1 }
    }
}
