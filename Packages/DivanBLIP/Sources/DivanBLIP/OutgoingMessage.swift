/// An outgoing message, cut into frames' payloads.
struct OutgoingMessage {
    let number: UInt64
    /// All flags but MoreComing and Compressed.
    let flags: FrameFlags
    let isCompressed: Bool
    /// Whether a frame has been made.
    private(set) var hasBegun = false
    private let properties: BLIPProperties
    /// The body; if it is read from a source, the last part that was read.
    private var bytes: [UInt8]
    private var offset = 0
    /// Fields that few messages have, kept separate so that the others are fast to move.
    private var extra: Extra?

    private final class Extra {
        /// Properties that did not fit into the first frame.
        var head: ArraySlice<UInt8> = []
        var source: (any BLIPBodySource)?
        var failure: (any Error)?

        init(_ source: (any BLIPBodySource)? = nil) {
            self.source = source
        }
    }

    /// Bytes to request from a source: few calls, and little memory.
    private static let readByteCount = 65_536

    var isUrgent: Bool { flags.isUrgent }

    var isReply: Bool { flags.kind != .request }

    var key: MessageKey { MessageKey(number: number, isReply: isReply) }

    /// Uncompressed bytes that are still to be sent; of a source, only those that were read.
    var remainingByteCount: Int {
        let properties = hasBegun ? headByteCount : properties.byteCount + 1
        return properties + bytes.count - offset
    }

    /// Whether the next frame contains the whole message, if it has room for `limit` uncompressed bytes.
    func isWhole(within limit: Int) -> Bool {
        // A length takes at most ten bytes.
        !hasBegun && extra == nil && properties.byteCount + 10 + bytes.count <= limit
    }

    /// Lends all uncompressed bytes: those before the body, and the body in place.
    ///
    /// For a message that `isWhole`: then no part of it has been sent.
    mutating func takeWhole(_ use: (_ head: Span<UInt8>, _ body: Span<UInt8>) -> Void) {
        hasBegun = true
        offset = bytes.count
        let length = UInt64(properties.byteCount)
        let lengthByteCount = varintByteCount(length)
        let byteCount = lengthByteCount + properties.byteCount
        // On the stack if short; initialized to the last byte, and freed after `use`.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { block in
            var rest = length
            for index in 0..<(lengthByteCount - 1) {
                block[index] = UInt8(truncatingIfNeeded: rest) | 0x80
                rest >>= 7
            }
            block[lengthByteCount - 1] = UInt8(truncatingIfNeeded: rest)
            properties.bytes.withUnsafeBufferPointer {
                _ = block[lengthByteCount...].initialize(fromContentsOf: $0)
            }
            use(block.span, bytes.span)
        }
    }

    /// Appends the next uncompressed bytes, at most `limit`; returns whether more are left.
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
            // Both offsets are within `bytes`; a slice of it would add a reference count.
            bytes.withUnsafeBufferPointer {
                output.append(contentsOf: UnsafeBufferPointer(rebasing: $0[offset..<end]))
            }
            room -= end - offset
            offset = end
        }
        return headByteCount > 0 || refill()
    }

    /// Whether it needs only the bytes in memory.
    var isPlain: Bool { extra == nil }

    /// Reads the first bytes of a source, so that it fails before the first frame.
    mutating func prefetch() {
        _ = refill()
    }

    /// Returns the error of the body's source, once; the message ends where it failed.
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

    /// Returns whether body bytes are available, after reading more from the source if there is one.
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

// In an extension, so that it ends in the compiler's memberwise initializer: that one moves the value, whereas a
// written one would copy it and count its references.
extension OutgoingMessage {
    init(
        number: UInt64,
        flags: FrameFlags,
        isCompressed: Bool,
        properties: BLIPProperties,
        body: BLIPBody
    ) {
        let bytes: [UInt8]
        let extra: Extra?
        switch body {
        case .bytes(let all): (bytes, extra) = (all, nil)
        case .source(let source): (bytes, extra) = ([], Extra(source))
        }
        self.init(
            number: number,
            flags: flags,
            isCompressed: isCompressed,
            properties: properties,
            bytes: bytes,
            extra: extra
        )
    }

    /// The reply to a request of the peer; urgent if the request was.
    init(_ reply: BLIPReply, to number: UInt64, isUrgent: Bool) {
        let kind: FrameKind = reply.isError ? .errorReply : .reply
        self.init(
            number: number,
            flags: FrameFlags(bits: kind.rawValue | (isUrgent ? FrameFlags.urgent : 0)),
            isCompressed: reply.isCompressed,
            properties: reply.properties,
            body: reply.body
        )
    }
}
