public import DivanCompression

/// One BLIP connection without its socket: frames in, events out; messages in, frames out.
///
/// `receive(_:)` takes one WebSocket message, `nextFrame(into:)` makes one; call the latter while
/// the transport has room. After each of them call `next()` until it returns `nil`. Use it from one
/// thread at a time, and do not copy it: both copies would share one compressor.
///
/// **What it promises.** Requests of the peer are handed out whole, each once, and each gets at most
/// one reply; the reply to one of ours comes with the number that `send(_:)` gave, once, whole or in
/// pieces. What both ends say arrives unchanged, or the connection fails: each frame carries a checksum
/// over all the plain bytes of its direction. A frame that breaks the rules ends the connection: the
/// same error comes from every later `receive(_:)`, and the events from before stay valid.
///
/// **Its parts**, each with its own state. `ReceivedRequests`: the peer's requests, from the first
/// frame to the end of our reply. `SentRequests`: ours, until their replies are complete.
/// `MessageReader`: what all incoming frames share, the running checksum and decompressor, the count of
/// what is held, and the acknowledgements that are due. `Outbox`: what goes out, requests and replies
/// alike, through one compressor. The connection itself only decides whose a frame is.
///
/// **States.** A request of ours waits for its reply, which may be given up (`cancelReply(to:)`) and is
/// then read and dropped. A request of the peer is incomplete, then unanswered, then its reply is on
/// its way, and it is forgotten with the last frame of that. A message that goes out is queued, has
/// begun, or pauses until the peer has acknowledged enough of it (`MessageFlow`, drawn in
/// `Docs/states/blip-message.md`). The connection is good, or has failed for good.
///
/// **What may be reordered.** Messages are cut into frames that take turns; urgent ones go first, yet
/// never starve the others. Requests begin in the order in which they were sent, but a short one may
/// be complete before a long one that began earlier. Replies may be given at any time, in any order.
/// Acknowledgements go before everything. Frames themselves may not: the checksum counts on their order.
///
/// **What bounds it.** `Limits`, for all that a peer can make us hold: frames, messages, their number,
/// and replies that it asks for and does not read. A message of the peer's has one acknowledgement
/// waiting at most. Nothing bounds what this side sends but its owner, who looks at `queuedByteCount`;
/// of a body that is read from a source, 64 KiB are held. Work per received byte is linear.
///
/// **What a lost connection leaves.** Nothing here: `waitingRequests` names what was never answered, and
/// whether the peer acted on it, only a layer above can ask. Queued messages go with the value.
///
/// Source: `blip.md`.
public struct BLIPConnection {
    /// What a peer may make us hold.
    public typealias Limits = BLIPLimits

    /// What the peer may make us hold.
    public let limits: Limits
    /// Frames that said nothing: of unknown type, or replies to what waits no more.
    public private(set) var ignoredFrameCount = 0

    private var reader: MessageReader
    private var received: ReceivedRequests
    private var sent = SentRequests()
    private var outbox: Outbox
    private var events = Queue<BLIPEvent>()
    private var receivedFrameCount = 0
    private var failure: BLIPError?

    /// Creates a connection on which nothing has been sent.
    ///
    /// - Parameters:
    ///   - codec: What compressed frames are made with; deflate unless both ends chose another.
    ///   - limits: What the peer may make us hold.
    public init(codec: any CompressionCodec, limits: Limits = Limits()) {
        self.limits = limits
        reader = MessageReader(frames: FrameReader(codec: codec), limits: limits)
        received = ReceivedRequests(limits: limits)
        outbox = Outbox(writer: FrameWriter(codec: codec))
    }

    /// Returns the next thing that the frames so far mean, or `nil` when more are needed.
    public mutating func next() -> BLIPEvent? { events.popFirst() }

    // MARK: Sending

    /// Which of the codec's grades compresses what is written next; 0 is the densest.
    ///
    /// The middle one at first; one outside the range is moved into it. The peer need not be told.
    public var compressionGrade: Int {
        get { outbox.grade }
        set { outbox.grade = newValue }
    }

    /// Queues a request.
    ///
    /// - Returns: The number that its reply will carry, or `nil` when it wants none.
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
        // Ends here, so that the message takes over what it holds.
        _ = consume request
        outbox.add(consume message)
        guard wantsReply else { return nil }
        sent.wait(for: number, streams: streams)
        return BLIPRequestNumber(rawValue: number)
    }

    /// Queues the reply to a request of the peer; a second one, or one not wanted, is dropped.
    public mutating func reply(to request: BLIPRequestID, with reply: BLIPReply) {
        guard let message = received.answer(request, with: reply) else { return }
        outbox.add(message)
    }

    /// Whether the last frame of the reply to a request of the peer has not been made.
    public func isReplying(to request: BLIPRequestID) -> Bool { received.isOpen(request) }

    /// Gives up a reply: what still comes of it is read, acknowledged and dropped.
    public mutating func cancelReply(to request: BLIPRequestNumber) {
        sent.giveUp(request, with: &reader)
    }

    /// The requests that have no complete reply, in order; after the connection they have failed.
    public var waitingRequests: [BLIPRequestNumber] { sent.numbers }

    /// Plain bytes of messages that are not complete.
    public var openByteCount: Int { reader.heldByteCount }

    /// Plain bytes that are queued; of body sources, only what was read.
    public var queuedByteCount: Int { outbox.byteCount }

    /// Whether `nextFrame(into:)` would make a frame.
    public var hasOutput: Bool { reader.hasAcknowledgement || outbox.hasNext }

    /// Appends one frame, at most 16,384 bytes; returns `false` when there is none to send now.
    ///
    /// A message whose frames the peer has not acknowledged waits; so more may be sendable after
    /// the next `receive(_:)`.
    public mutating func nextFrame(into output: inout [UInt8]) -> Bool {
        if reader.appendAcknowledgement(to: &output) { return true }
        guard let turn = outbox.writeFrame(into: &output, events: &events) else { return false }
        if case .endedReply(let number) = turn { received.forget(number) }
        return true
    }

    // MARK: Receiving

    /// Takes one WebSocket message; then call `next()` until it returns `nil`.
    ///
    /// The frame is copied where it is kept, so its memory may be reused after the call.
    ///
    /// - Returns: How many events wait for `next()`.
    /// - Throws: `BLIPError` when the peer broke the rules, and the same from every later call:
    ///   close the WebSocket with its code. Events that came before stay valid.
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
