/// Assembles messages from incoming frames: the common part of requests and replies.
///
/// One for each connection. It owns the state that runs over all frames of this direction (checksum and decompressor,
/// in `FrameReader`), counts the bytes that incomplete messages hold, and keeps the pending acknowledgements. Its
/// callers decide to whom a message belongs, and whether it may arrive.
struct MessageReader {
    private let limits: BLIPLimits
    private var frames: FrameReader
    private var plain: [UInt8] = []  // the payload of the frame being received
    private var acknowledgements = Acknowledgements()
    /// Uncompressed bytes of all incomplete messages.
    private(set) var heldByteCount = 0

    init(frames: FrameReader, limits: BLIPLimits) {
        self.frames = frames
        self.limits = limits
    }

    /// A message whose last frame has arrived.
    struct Whole {
        let flags: FrameFlags
        let properties: BLIPProperties
        let body: [UInt8]
    }

    /// What a frame adds to a message that is passed on as it arrives.
    struct Piece {
        let flags: FrameFlags
        let properties: BLIPProperties
        let body: [UInt8]
        /// Whether nothing of the message was passed on before.
        let isFirst: Bool
    }

    /// Whether there is an acknowledgement to send.
    var hasAcknowledgement: Bool { !acknowledgements.isEmpty }

    /// Appends the next ACK frame; returns `false` if there is none.
    mutating func appendAcknowledgement(to output: inout [UInt8]) -> Bool {
        acknowledgements.appendNext(to: &output)
    }

    /// Reads a frame of a message that is held until it is complete; then returns it.
    ///
    /// `message` is what arrived before, or `nil` at the first frame; afterwards, what is held now.
    mutating func read(
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        continuing message: inout IncomingMessage?
    ) throws(BLIPError.Reason) -> Whole? {
        let isWhole = message == nil && !header.flags.hasMoreComing
        if isWhole, !header.flags.isCompressed {
            let limit = limits.messageByteCount
            let place = try frames.readPlain(frame, header: header, room: limit, of: limit)
            return try whole(frame.extracting(place), header.flags)
        }
        let payload = try payload(of: frame, header, held: message?.heldByteCount ?? 0)
        defer { keep(payload) }
        guard !isWhole else { return try whole(payload.span, header.flags) }
        var open = message.take() ?? IncomingMessage(flags: header.flags)
        try append(payload, to: &open)
        guard header.flags.hasMoreComing else {
            let properties = try finish(open)
            return Whole(flags: open.flags, properties: properties, body: open.takeBody())
        }
        acknowledge(frame, header, of: &open)
        message = open
        return nil
    }

    /// Reads a frame of a message that is passed on as it arrives, once its properties are complete.
    mutating func readPiece(
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        continuing message: inout IncomingMessage?
    ) throws(BLIPError.Reason) -> Piece? {
        let payload = try payload(of: frame, header, held: message?.heldByteCount ?? 0)
        defer { keep(payload) }
        var open = message.take() ?? IncomingMessage(flags: header.flags)
        let isFirst = open.properties == nil
        try append(payload, to: &open)
        var piece: Piece?
        if let properties = open.properties {
            let body = open.takeBody()
            heldByteCount -= body.count
            piece = Piece(flags: open.flags, properties: properties, body: body, isFirst: isFirst)
        }
        guard header.flags.hasMoreComing else {
            _ = try finish(open)
            return piece
        }
        acknowledge(frame, header, of: &open)
        message = open
        return piece
    }

    /// Reads and acknowledges a frame of a cancelled message.
    mutating func drop(
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        continuing message: inout IncomingMessage?
    ) throws(BLIPError.Reason) {
        try pass(frame, header)
        guard header.flags.hasMoreComing else { return }
        var open = message.take() ?? IncomingMessage(flags: header.flags)
        acknowledge(frame, header, of: &open)
        message = open
    }

    /// Reads a frame whose content is not wanted: checksum and decompressor run over it.
    mutating func pass(_ frame: Span<UInt8>, _ header: FrameHeader) throws(BLIPError.Reason) {
        keep(try payload(of: frame, header, held: 0))
    }

    /// Skips a frame of unknown type.
    mutating func skip(_ frame: Span<UInt8>, _ header: FrameHeader) {
        frames.skip(frame, header: header)
    }

    /// Drops what has arrived of a message that is cancelled before it is complete.
    mutating func discard(_ message: inout IncomingMessage) {
        heldByteCount -= message.heldByteCount
        message.discard()
    }

    /// The memory of a larger payload is not kept for the next frame, which may never come.
    static var keptByteCount: Int { 262_144 }

    /// Bytes that are kept for the next frame.
    var spareByteCount: Int { plain.capacity }

    private mutating func keep(_ payload: consuming [UInt8]) {
        if payload.capacity <= Self.keptByteCount { plain = payload }
    }

    /// Returns the frame's uncompressed payload, verified; `keep` it for reuse.
    private mutating func payload(
        of frame: Span<UInt8>,
        _ header: FrameHeader,
        held: Int
    ) throws(BLIPError.Reason) -> [UInt8] {
        let limit = limits.messageByteCount
        plain.removeAll(keepingCapacity: true)
        try frames.read(frame, header: header, held: held, limit: limit, into: &plain)
        var payload: [UInt8] = []
        swap(&payload, &plain)
        return payload
    }

    /// Reads a message that arrived in one frame.
    private func whole(
        _ payload: Span<UInt8>,
        _ flags: FrameFlags
    ) throws(BLIPError.Reason) -> Whole {
        let limit = limits.propertiesByteCount
        guard let block = try PropertyBlock.read(payload, limit: limit) else {
            throw .truncatedProperties
        }
        let body = payload.extracting(droppingFirst: block.bodyOffset)
            .withUnsafeBufferPointer { Array($0) }
        return Whole(flags: flags, properties: block.properties, body: body)
    }

    /// Appends to a message of several frames and updates the count of bytes held.
    private mutating func append(
        _ payload: [UInt8],
        to message: inout IncomingMessage
    ) throws(BLIPError.Reason) {
        let before = message.heldByteCount
        try message.append(payload.span, limits: limits)
        heldByteCount += message.heldByteCount - before
        guard heldByteCount <= limits.openByteCount else {
            throw .openBytes(limit: limits.openByteCount)
        }
    }

    /// Subtracts a message from the bytes held, and returns its properties.
    private mutating func finish(
        _ message: IncomingMessage
    ) throws(BLIPError.Reason) -> BLIPProperties {
        heldByteCount -= message.heldByteCount
        guard let properties = message.properties else { throw .truncatedProperties }
        return properties
    }

    private mutating func acknowledge(
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        of message: inout IncomingMessage
    ) {
        guard let total = message.count(frame.count - header.byteCount) else { return }
        let key = MessageKey(number: header.number, isReply: header.flags.kind != .request)
        acknowledgements.add(key, total: total)
    }
}
