import DivanCommandLine
import DivanPlatform

/// Records a conversation as a capture, which `divan wire decode` and Wireshark read.
///
/// The packets are synthetic: IP only (link type 101), 127.0.0.1 on both sides, the client's port of
/// the real connection, port 80 for the server, checksums left at 0. Their payload is real, except for
/// secrets, which `HeaderRedactor` removed.
final class CaptureWriter {
    private let path: String
    private let descriptor: FileDescriptor
    private var sequences: [UInt16: (client: UInt32, server: UInt32)] = [:]

    private static let serverPort: UInt16 = 80
    private static let payloadByteCount = 32_768

    /// Creates a file that only its owner may read.
    ///
    /// - Throws: `Failure` if the file exists, or cannot be written.
    init(_ path: String) throws(Failure) {
        self.path = path
        do {
            descriptor = try FileDescriptor.open(
                path,
                [.writeOnly, .create, .exclusive, .closeOnExec, .noFollow],
                permissions: 0o600
            )
        } catch  where error.errno == .fileExists {
            throw Failure(
                kind: .conflict,
                sentence: "\(path) already exists",
                hint: "choose another name"
            )
        } catch {
            throw .writing(path, error.errno)
        }
        var header: [UInt8] = [0xA1, 0xB2, 0xC3, 0xD4, 0, 2, 0, 4]  // version 2.4
        for word: UInt32 in [0, 0, UInt32(WireLimits.packetByteCount), 101] {
            Self.append(word, to: &header)
        }
        try write(header)
    }

    deinit { descriptor.close() }

    /// Records that a client has connected from a port.
    func begin(_ port: UInt16) throws(Failure) {
        sequences[port] = (1000, 5000)
        try write(.client, port, flags: 0x02, [])
        try write(.server, port, flags: 0x12, [])
        sequences[port] = (1001, 5001)
    }

    /// Records bytes from one end.
    func record(_ bytes: [UInt8], from sender: WireEnd, _ port: UInt16) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.payloadByteCount))
            try write(sender, port, flags: 0x18, piece)
            advance(sender, port, by: UInt32(piece.count))
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Records that an end sends no more.
    func end(_ sender: WireEnd, _ port: UInt16) throws(Failure) {
        try write(sender, port, flags: 0x11, [])
        advance(sender, port, by: 1)
    }

    private func advance(_ sender: WireEnd, _ port: UInt16, by count: UInt32) {
        guard let (client, server) = sequences[port] else { return }
        sequences[port] =
            sender == .client ? (client &+ count, server) : (client, server &+ count)
    }

    private func write(
        _ sender: WireEnd,
        _ port: UInt16,
        flags: UInt8,
        _ payload: [UInt8]
    ) throws(Failure) {
        let (client, server) = sequences[port] ?? (0, 0)
        let isClient = sender == .client
        let ports = isClient ? (port, Self.serverPort) : (Self.serverPort, port)
        let (sequence, acknowledged) = isClient ? (client, server) : (server, client)
        let byteCount = 40 + payload.count
        var packet: [UInt8] = []
        let (seconds, rest) = WallClock.now().quotientAndRemainder(dividingBy: 1_000_000_000)
        Self.append(UInt32(truncatingIfNeeded: seconds), to: &packet)
        Self.append(UInt32(truncatingIfNeeded: rest / 1000), to: &packet)
        Self.append(UInt32(byteCount), to: &packet)
        Self.append(UInt32(byteCount), to: &packet)
        // IPv4: 20 bytes, TCP inside.
        packet += [0x45, 0]
        Self.append(UInt16(byteCount), to: &packet)
        packet += [0, 0, 0x40, 0, 64, 6, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]
        Self.append(ports.0, to: &packet)
        Self.append(ports.1, to: &packet)
        Self.append(sequence, to: &packet)
        Self.append(acknowledged, to: &packet)
        packet += [0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0]
        try write(packet + payload)
    }

    private func write(_ bytes: [UInt8]) throws(Failure) {
        do {
            try descriptor.writeWaiting(bytes)
        } catch {
            throw .writing(path, error.errno)
        }
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
