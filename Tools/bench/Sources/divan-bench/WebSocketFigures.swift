import CDivanFloors
import DivanCrypto
import DivanWebSocket

/// WebSocket frames in memory, compared with a mask-and-copy loop and `memcpy`; they take turns.
enum WebSocketFigures {
    /// What the transport reads at a time while data streams in.
    private static let pieceByteCount = 65_536
    private static let largeByteCount = 16_384
    private static let largeFrameCount = 16_384
    private static let smallByteCount = 64
    private static let smallFrameCount = 2_000_000

    static func measure(into report: inout Report) throws {
        try measureLarge(sender: .client, into: &report)
        try measureLarge(sender: .server, into: &report)
        try measureSmall(into: &report)
    }

    private static func measureLarge(sender: Role, into report: inout Report) throws {
        let isMasked = sender == .client
        let stream = frames(64, of: largeByteCount, from: sender)
        var (seconds, floor) = (Double.infinity, Double.infinity)
        for _ in 0..<5 {
            let turn = try Stopwatch.bestWork(of: 1) {
                try decode(stream, rounds: largeFrameCount / 64, from: sender)
            }
            seconds = min(seconds, turn)
            floor = min(floor, floorSeconds(stream, isMasked: isMasked))
        }
        let byteCount = Double(largeFrameCount * largeByteCount)
        report.add(
            Figure(
                name: "WebSocket decode, 16 KiB frames, \(isMasked ? "masked" : "unmasked")",
                unit: "MB/s",
                ours: byteCount / seconds / 1e6,
                floor: byteCount / floor / 1e6,
                floorName: isMasked ? "C loop: mask and copy" : "memcpy"
            )
        )
    }

    private static func measureSmall(into report: inout Report) throws {
        let stream = frames(4000, of: smallByteCount, from: .client)
        var (decoding, encoding, floor) = (Double.infinity, Double.infinity, Double.infinity)
        for _ in 0..<5 {
            let turn = try Stopwatch.bestWork(of: 1) {
                try decode(stream, rounds: smallFrameCount / 4000, from: .client)
            }
            decoding = min(decoding, turn)
            encoding = min(encoding, Stopwatch.bestWork(of: 1) { encodeSmall() })
            let bare = Stopwatch.bestWork(of: 1) {
                floor_small_frames(smallFrameCount, smallByteCount)
            }
            floor = min(floor, bare)
        }
        for (name, seconds) in [("decode", decoding), ("encode", encoding)] {
            report.add(
                Figure(
                    name: "WebSocket \(name), 64-byte frames, masked",
                    unit: "M frames/s",
                    ours: Double(smallFrameCount) / seconds / 1e6,
                    floor: Double(smallFrameCount) / floor / 1e6,
                    floorName: "C loop: header, mask and copy"
                )
            )
        }
    }

    private static func frames(_ count: Int, of byteCount: Int, from sender: Role) -> [UInt8] {
        var encoder = FrameEncoder(role: sender, random: SystemRandomSource())
        let payload = [UInt8](repeating: 7, count: byteCount)
        var stream: [UInt8] = []
        for _ in 0..<count { encoder.encode(.binary, payload: payload.span, appendingTo: &stream) }
        return stream
    }

    private static func decode(_ stream: [UInt8], rounds: Int, from sender: Role) throws {
        var decoder = FrameDecoder(sender: sender)
        var byteCount = 0
        for _ in 0..<rounds {
            for start in stride(from: 0, to: stream.count, by: pieceByteCount) {
                let end = min(start + pieceByteCount, stream.count)
                decoder.receive(stream.span.extracting(start..<end))
                while let frame = try decoder.next() { byteCount += frame.payload.count }
            }
        }
        guard byteCount > 0 else { throw BenchFailure("no WebSocket frame arrived") }
    }

    private static func encodeSmall() {
        var encoder = FrameEncoder(role: .client, random: SystemRandomSource())
        let payload = [UInt8](repeating: 7, count: smallByteCount)
        var output: [UInt8] = []
        for _ in 0..<smallFrameCount {
            if output.count > pieceByteCount { output.removeAll(keepingCapacity: true) }
            encoder.encode(.binary, payload: payload.span, appendingTo: &output)
        }
    }

    /// The payloads are in the same stream, and are copied to one buffer that stays in the cache.
    private static func floorSeconds(_ stream: [UInt8], isMasked: Bool) -> Double {
        var copy = [UInt8](repeating: 0, count: largeByteCount)
        let frameByteCount = stream.count / 64
        return Stopwatch.bestWork(of: 1) {
            stream.withUnsafeBufferPointer { stream in
                // The payload ends its frame, and the frame is inside the stream.
                guard let first = stream.baseAddress.map({ $0 + frameByteCount - largeByteCount })
                else { return }
                for index in 0..<largeFrameCount {
                    let payload = first + index % 64 * frameByteCount
                    if isMasked {
                        floor_copy_masked(&copy, payload, largeByteCount, 0x1234_5678)
                    } else {
                        floor_copy(&copy, payload, largeByteCount)
                    }
                }
            }
        }
    }
}
