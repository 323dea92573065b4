public import DivanCompression

/// A BLIP connection without a socket: it converts received frames to events, and messages to frames.
///
/// `receive(_:)` accepts one WebSocket message, `nextFrame(into:)` creates one; call the latter while the transport
/// is writable. After each call, call `next()` until it returns `nil`. Use it on one thread at a time, and do not
/// copy it: both copies would share a compressor.
///
/// **What it promises.** Requests of the peer are delivered complete, each once, and each gets at most one reply.
/// The reply to a local request has the number that `send(_:)` returned, and is delivered once, complete or in
/// pieces. All data arrive unchanged, or the connection fails: each frame has a checksum of all uncompressed bytes
/// of its direction. A frame that violates the rules ends the connection: every later `receive(_:)` throws the same
/// error, and the events from before stay valid.
///
/// **Its parts**, each with its own state. `ReceivedRequests`: the peer's requests, from the first frame to the end
/// of the reply. `SentRequests`: local requests, until their replies are complete. `MessageReader`: the common
/// state of all incoming frames: the running checksum and decompressor, the count of the bytes held, and the
/// pending acknowledgements. `Outbox`: all outgoing messages, requests and replies, through one compressor. The
/// connection itself only decides to which part a frame belongs.
///
/// **States.** A local request waits for its reply, which can be cancelled (`cancelReply(to:)`) and is then read
/// and discarded. A request of the peer is incomplete, then unanswered, then its reply is being sent; it ends with
/// the last frame of the reply. An outgoing message is queued, has begun, or is paused until the peer has
/// acknowledged enough of it (`MessageFlow`, drawn in `Docs/states/blip-message.md`). The connection is working, or
/// has failed permanently.
///
/// **What may be reordered.** Messages are split into frames that alternate; urgent messages go first, but never
/// starve the others. Requests begin in the order in which they were sent, but a short request may be complete
/// before a long request that began earlier. Replies can be sent at any time, in any order. Acknowledgements are
/// sent first. Frames cannot be reordered: the checksum depends on their order.
///
/// **What bounds it.** `Limits` bounds the memory that a peer can use: frames, messages, their number, and replies
/// that it requests and does not read. Each message of the peer has at most one pending acknowledgement. Outgoing
/// messages are limited only by the owner, who checks `queuedByteCount`; of a body that is read from a source, 64
/// KiB are in memory. Time is linear in the received bytes.
///
/// **What a lost connection leaves.** Nothing: `waitingRequests` lists the unanswered requests; only a higher layer
/// can find out whether the peer processed them. Queued messages are lost.
///
/// Source: `blip.md`.
public struct BLIPConnection {
    /// The limits on the memory that a peer can use.
    public typealias Limits = BLIPLimits

    /// The limits on the memory that the peer can use.
    public let limits: Limits
    /// The number of ignored frames: frames of unknown type, or of replies to requests that are no longer pending.
    public private(set) var ignoredFrameCount = 0

    private var reader: MessageReader
    private var received: ReceivedRequests
    private var sent = SentRequests()
    private var outbox: Outbox
    private var events = Queue<BLIPEvent>()
    private var receivedFrameCount = 0
    private var failure: BLIPError?

    /// Creates a new connection.
    ///
    /// - Parameters:
    ///   - codec: Compresses frames; deflate unless both ends chose another.
    ///   - limits: The limits on the memory that the peer can use.
    public init(codec: any CompressionCodec, limits: Limits = Limits()) {
        self.limits = limits
        reader = MessageReader(frames: FrameReader(codec: codec), limits: limits)
        received = ReceivedRequests(limits: limits)
        outbox = Outbox(writer: FrameWriter(codec: codec))
    }

    /// Returns the next event of the frames so far, or `nil` if more frames are needed.
    public mutating func next() -> BLIPEvent? { events.popFirst() }

    // MARK: Sending

    /// The codec's grade for subsequent frames; 0 has the highest compression.
    ///
    /// The default is the middle grade; values outside the range are clamped. The peer does not need to know the
    /// grade.
    public var compressionGrade: Int {
        get { outbox.grade }
        set { outbox.grade = newValue }
    }

    /// Queues a request.
    ///
    /// - Returns: The number of its reply; `nil` if it expects no reply.
    @discardableResult
    public mutating func send(_ request: consuming BLIPRequest) -> BLIPRequestNumber? {
        let number = sent.nextNumber()
        var bits = FrameKind.request.rawValue
        if request.isUrgent { bits |= FrameFlags.urgent }
        if request.isNoReply { bits |= FrameFlags.noReply }
        let (wantsReply, streams) = (!request.isNoReply, request.streamsReply)
        let message = OutgoingMessage(
            number: number,
            flags: FrameFlags(bits: bits),
            isCompressed: request.isCompressed,
            properties: request.properties,
            body: request.body
        )
        // Ends here, so that the message takes over its storage.
        _ = consume request
        outbox.add(consume message)
        guard wantsReply else { return nil }
        sent.wait(for: number, streams: streams)
        return BLIPRequestNumber(rawValue: number)
    }

    /// Queues the reply to a request of the peer; a second or unexpected reply is discarded.
    public mutating func reply(to request: BLIPRequestID, with reply: BLIPReply) {
        guard let message = received.answer(request, with: reply) else { return }
        outbox.add(message)
    }

    /// Whether the reply to a request of the peer is incomplete: its last frame has not been created yet.
    public func isReplying(to request: BLIPRequestID) -> Bool { received.isOpen(request) }

    /// Cancels a reply: the rest of it is read, acknowledged and discarded.
    public mutating func cancelReply(to request: BLIPRequestNumber) {
        sent.giveUp(request, with: &reader)
    }

    /// The requests without a complete reply, in order; when the connection ends, they have failed.
    public var waitingRequests: [BLIPRequestNumber] { sent.numbers }

    /// Uncompressed bytes of incomplete messages.
    public var openByteCount: Int { reader.heldByteCount }

    /// Bytes that are kept for what arrives next.
    var spareByteCount: Int { reader.spareByteCount }

    /// Uncompressed bytes that are queued; of body sources, only the bytes already read.
    public var queuedByteCount: Int { outbox.byteCount }

    /// The number of queued messages.
    public var queuedMessageCount: Int { outbox.messageCount }

    /// Whether `nextFrame(into:)` would create a frame.
    public var hasOutput: Bool { reader.hasAcknowledgement || outbox.hasNext }

    /// Appends one frame of at most 16,384 bytes; returns `false` if there is no frame to send now.
    ///
    /// A message waits if the peer has not acknowledged enough of its frames, so there may be more frames after the
    /// next `receive(_:)`.
    public mutating func nextFrame(into output: inout [UInt8]) -> Bool {
        if reader.appendAcknowledgement(to: &output) { return true }
        guard let turn = outbox.writeFrame(into: &output, events: &events) else { return false }
        if case .endedReply(let number) = turn { received.forget(number) }
        return true
    }

    // MARK: Receiving

    /// Processes one WebSocket message; then call `next()` until it returns `nil`.
    ///
    /// The frame's memory can be reused after the call.
    ///
    /// - Returns: The number of events available from `next()`.
    /// - Throws: `BLIPError` if the peer violated the rules; every later call throws the same error: close the
    ///   WebSocket with its code. Earlier events remain valid.
    @discardableResult
    public mutating func receive(_ frame: Span<UInt8>) throws(BLIPError) -> Int {
        if let failure { throw failure }
        do throws(BLIPError.Reason) {
            try accept(frame)
        } catch {
            let failure = BLIPError(reason: error, frameIndex: receivedFrameCount)
            self.failure = failure
            throw failure
        }
        receivedFrameCount += 1
        return events.count
    }

    private mutating func accept(_ frame: Span<UInt8>) throws(BLIPError.Reason) {
        guard frame.count <= limits.frameByteCount else {
            throw .frameTooLarge(byteCount: frame.count, limit: limits.frameByteCount)
        }
        let header = try FrameHeader(frame)
        switch header.flags.kind {
        case .request:
            let request = try received.receive(frame, header, with: &reader)
            if let request { events.append(.request(request)) }
        case .reply, .errorReply:
            let isKnown = try sent.receive(frame, header, with: &reader, into: &events)
            if !isKnown { ignoredFrameCount += 1 }
        case .acknowledgesRequest: try acceptAcknowledgement(frame, header, isReply: false)
        case .acknowledgesReply: try acceptAcknowledgement(frame, header, isReply: true)
        case nil:
            ignoredFrameCount += 1
            reader.skip(frame, header)
        }
    }

    private mutating func acceptAcknowledgement(
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        isReply: Bool
    ) throws(BLIPError.Reason) {
        var offset = header.byteCount
        let byteCount = try FrameHeader.requiredVarint(frame, at: &offset)
        outbox.acknowledge(MessageKey(number: header.number, isReply: isReply), upTo: byteCount)
    }
}
