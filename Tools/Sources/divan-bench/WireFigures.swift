import CDivanFloors
import DivanBLIP
import DivanCrypto
import DivanTLS
import DivanZlib
import Foundation

/// BLIP frames and TLS records in memory, beside the loops in C that do the unavoidable part.
enum WireFigures {
    private static let rounds = 20
    private static let recordByteCount = 16_384
    private static let tlsByteCount = 1 << 28

    static func measureBLIP(_ documents: Documents, into report: inout Report) throws {
        let count = Double(rounds * documents.bodies.count)
        var frames: [[UInt8]] = []
        let encoding = Stopwatch.best { frames = encode(documents.bodies) }
        let decoding = try Stopwatch.best { try decode(frames) }
        let floor = count / floorSeconds(documents)
        for (name, seconds) in [("encode", encoding), ("decode", decoding)] {
            report.add(
                Figure(
                    name: "BLIP \(name), 1.2 KB messages, plain",
                    unit: "msg/s",
                    ours: count / seconds,
                    floor: floor,
                    floorName: "C loop: copy and zlib's crc32"
                )
            )
        }
    }

    private static func encode(_ bodies: [[UInt8]]) -> [[UInt8]] {
        var connection = BLIPConnection(codec: DeflateCodec())
        var frames: [[UInt8]] = []
        for _ in 0..<rounds {
            for body in bodies {
                connection.send(
                    BLIPRequest(
                        profile: "rev",
                        properties: ["id": "route-1", "rev": "1-cafe", "sequence": "12"],
                        body: .bytes(body),
                        isNoReply: true
                    )
                )
                var frame: [UInt8] = []
                while connection.nextFrame(into: &frame) {
                    frames.append(frame)
                    frame = []
                }
            }
        }
        return frames
    }

    private static func decode(_ frames: [[UInt8]]) throws {
        var connection = BLIPConnection(codec: DeflateCodec())
        var byteCount = 0
        for frame in frames {
            try connection.receive(frame.span)
            while let event = connection.next() {
                if case .request(let request) = event { byteCount += request.body.count }
            }
        }
        guard byteCount > 0 else { throw BenchFailure("no BLIP message arrived") }
    }

    private static func floorSeconds(_ documents: Documents) -> Double {
        var copy = [UInt8](repeating: 0, count: 1 << 16)
        return Stopwatch.best {
            var crc: UInt32 = 0
            for _ in 0..<rounds {
                for body in documents.bodies {
                    crc = floor_copy_crc(&copy, body, body.count, crc)
                }
            }
        }
    }

    static func measureTLS(into report: inout Report) throws {
        let floor = floor_tls_memory(tlsByteCount)
        guard floor > 0 else { throw BenchFailure("the TLS floor failed") }
        let seconds = try Stopwatch.best(of: 2) { try moveThroughTLS() }
        report.add(
            Figure(
                name: "TLS over memory buffers, 16 KB records",
                unit: "MB/s",
                ours: Double(tlsByteCount) / seconds / 1e6,
                floor: Double(tlsByteCount) / floor / 1e6,
                floorName: "the same loop in C"
            )
        )
    }

    private static func moveThroughTLS() throws {
        let credential = try TLSCredential.generate(
            CertificateTemplate(attributes: ["CN": "bench"], usages: .serverAuth, now: Date()),
            key: .p256
        )
        let server = try TLSSession(.server(ServerTLSConfiguration(credential: credential)))
        let trust = ServerTrust.pinned(credential.leaf)
        let client = try TLSSession(.client(ClientTLSConfiguration(serverTrust: trust)))
        var wire: [UInt8] = []
        var received: [UInt8] = []
        while client.state == .handshaking || server.state == .handshaking {
            try move(from: client, to: server, &wire, &received)
            try move(from: server, to: client, &wire, &received)
        }
        let record = [UInt8](repeating: 7, count: recordByteCount)
        var byteCount = 0
        while byteCount < tlsByteCount {
            try client.send(record.span)
            received.removeAll(keepingCapacity: true)
            try move(from: client, to: server, &wire, &received)
            byteCount += received.count
        }
    }

    private static func move(
        from: TLSSession,
        to: TLSSession,
        _ wire: inout [UInt8],
        _ received: inout [UInt8]
    ) throws {
        wire.removeAll(keepingCapacity: true)
        from.takeOutput(appendingTo: &wire)
        if !wire.isEmpty { try to.receive(wire.span, appendingTo: &received) }
    }
}
