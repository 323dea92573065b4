import DivanBLIP
import DivanCompression
import DivanCrypto
import DivanTestKit
import DivanWebSocket

/// One of the two peers: its BLIP, its WebSocket, and the bytes that are on their way to it.
struct StormEnd {
    var blip: BLIPConnection
    private var webSocket: WebSocketConnection
    private var arriving: [UInt8] = []
    private var takenCount = 0  // bytes at the front of `arriving` that were taken

    init(role: Role, codec: some CompressionCodec, seed: UInt64) {
        blip = BLIPConnection(codec: codec)
        webSocket = WebSocketConnection(role: role, random: StormRandom(seed: seed), now: .zero)
    }

    var arrivingByteCount: Int { arriving.count - takenCount }

    /// Whether something is to be sent or in flight to this end.
    var isBusy: Bool { arrivingByteCount > 0 || blip.hasOutput || blip.queuedByteCount > 0 }

    /// Adds bytes to what is in flight to this end.
    mutating func arrive(_ bytes: [UInt8]) {
        arriving.removeFirst(takenCount)
        takenCount = 0
        arriving += bytes
    }

    /// Creates a few frames and returns the bytes to transfer.
    mutating func makeFrames(using generator: inout SeededGenerator) -> [UInt8] {
        var frame: [UInt8] = []
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            guard blip.nextFrame(into: &frame) else { break }
            webSocket.send(frame.span)
            frame.removeAll(keepingCapacity: true)
        }
        return webSocket.takeOutput()
    }

    /// Takes a random piece of what has arrived; returns its length.
    mutating func take(using generator: inout SeededGenerator) throws -> Int {
        guard arrivingByteCount > 0 else { return 0 }
        // Usually what a read returns, now and then a few bytes that split a header.
        let longest = Int.random(in: 0..<4, using: &generator) == 0 ? 9 : 20_000
        let count = min(Int.random(in: 1...longest, using: &generator), arrivingByteCount)
        let piece = arriving[takenCount..<takenCount + count]
        takenCount += count
        webSocket.receive(piece.span, at: .zero)
        while let event = try webSocket.next() {
            guard case .message(let frame, _) = event else { continue }
            try blip.receive(frame.span)
        }
        return count
    }
}

/// Masking keys from a seed, so that a storm can be repeated byte for byte.
private final class StormRandom: RandomSource, @unchecked Sendable {
    // Belongs to one connection, which one thread uses at a time.
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
