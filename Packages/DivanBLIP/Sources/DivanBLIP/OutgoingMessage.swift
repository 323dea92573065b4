/// A message on its way out, cut into frames' payloads.
struct OutgoingMessage {
    let number: UInt64
    /// All flags but MoreComing and Compressed.
    let flags: FrameFlags
    let isCompressed: Bool
    /// Whether a frame has been made.
    private(set) var hasBegun = false
    private let properties: BLIPProperties
    private var bytes: [UInt8]
    private var offset = 0
    /// What few messages have, in one place so that the others are quick to move.
    private var extra: Extra?

    private final class Extra {
        /// Properties that did not fit into the first frame.
        var head: ArraySlice<UInt8> = []
        var source: (any BLIPBodySource)?
        var failure: (any Error)?
    }

    /// Bytes to ask a source for: few calls, and little held.
    private static let readByteCount = 65_536

    init(
        number: UInt64,
        flags: FrameFlags,
        isCompressed: Bool,
        properties: BLIPProperties,
        body: BLIPBody
    ) {
        self.number = number
        self.flags = flags
        self.isCompressed = isCompressed
        self.properties = properties
        switch body {
        case .bytes(let bytes): self.bytes = bytes
        case .source(let source):
            bytes = []
            let extra = Extra()
            extra.source = source
            self.extra = extra
        }
    }

    var isUrgent: Bool { flags.isUrgent }

    var key: MessageKey { MessageKey(number: number, isReply: flags.kind != .request) }

    /// Plain bytes that are still to go; of a source, only those that were read.
    var remainingByteCount: Int {
        let properties = hasBegun ? headByteCount : properties.byteCount + 1
        return properties + bytes.count - offset
    }

    /// Appends the next plain bytes, at most `limit`; returns whether more are left.
    mutating func appendPlain(upTo limit: Int, to output: inout [UInt8]) -> Bool {
        var room = limit
        if !hasBegun {
            hasBegun = true
            beginProperties(room: &room, output: &output)
        }
        if let extra, !extra.head.isEmpty {
            let piece = extra.head.prefix(room)
            output.append(contentsOf: piece)
            extra.head = extra.head.dropFirst(piece.count)
            room -= piece.count
        }
        while room > 0, refill() {
            let end = min(offset + room, bytes.count)
            // Both offsets lie within `bytes`; a slice of it would count one more reference.
            bytes.withUnsafeBufferPointer {
                output.append(contentsOf: UnsafeBufferPointer(rebasing: $0[offset..<end]))
            }
            room -= end - offset
            offset = end
        }
        return headByteCount > 0 || refill()
    }

    /// Reads the first bytes of a source, so that a failure comes before the first frame.
    mutating func prefetch() {
        _ = refill()
    }

    /// Returns what the body's source threw, once; the message ends where it failed.
    mutating func takeFailure() -> (any Error)? { extra?.failure.take() }

    private mutating func beginProperties(room: inout Int, output: inout [UInt8]) {
        let length = UInt64(properties.byteCount)
        let byteCount = varintByteCount(length) + properties.byteCount
        guard byteCount > room else {
            appendVarint(length, to: &output)
            properties.bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
            room -= byteCount
            return
        }
        var block: [UInt8] = []
        appendVarint(length, to: &block)
        block += properties.bytes
        let extra = extra ?? Extra()
        extra.head = block[...]
        self.extra = extra
    }

    private var headByteCount: Int { extra?.head.count ?? 0 }

    /// Returns whether body bytes are at hand, after reading on where there is a source.
    private mutating func refill() -> Bool {
        guard offset == bytes.count else { return true }
        guard let extra, let source = extra.source else { return false }
        offset = 0
        do {
            bytes = try source.read(upTo: Self.readByteCount)
        } catch {
            bytes = []
            extra.failure = error
        }
        if bytes.isEmpty { extra.source = nil }
        return !bytes.isEmpty
    }
}
