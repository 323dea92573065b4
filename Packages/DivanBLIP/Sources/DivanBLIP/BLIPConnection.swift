public import DivanCompression

/// One BLIP connection without its socket: frames in, events out; messages in, frames out.
///
/// `receive(_:)` takes one WebSocket message, `nextFrame(into:)` makes one; call the latter while
/// the transport has room. After each of them call `next()` until it returns `nil`. Use it from one
/// thread at a time, and do not copy it: both copies would share one compressor.
///
/// **What it promises.** Requests of the peer are handed out whole, each once, and each gets at most
/// one reply; the reply to one of ours comes with the number that `send(_:)` gave. A frame that breaks
/// the rules ends the connection: the same error comes from every later `receive(_:)`, and the events
/// from before stay valid.
///
/// **States.** A request of ours waits for its reply, which may be given up (`cancelReply(to:)`) and is
/// then read and dropped. A request of the peer is incomplete, then unanswered, then its reply is on
/// its way, and it is forgotten with the last frame of that. A message that goes out is queued, has
/// begun, or pauses until the peer has acknowledged enough of it.
///
/// **What may be reordered.** Messages are cut into frames that take turns; urgent ones go first, yet
/// never starve the others. Requests begin in the order in which they were sent, but a short one may
/// be complete before a long one that began earlier. Replies may be given at any time, in any order.
///
/// **What bounds it.** `Limits`, for all that a peer can make us hold: frames, messages, their number,
/// and replies that it asks for and does not read. Nothing bounds what this side sends but its owner,
/// who looks at `queuedByteCount`. Work per received byte is linear.
///
/// **What a lost connection leaves.** Nothing here: `waitingRequests` names what was never answered.
///
/// Source: `blip.md`.
public struct BLIPConnection {
    /// What the peer may make us hold.
    public let limits: Limits
    /// Frames that said nothing: of unknown type, or replies to what waits no more.
    public internal(set) var ignoredFrameCount = 0

    var reader: FrameReader
    var plain: [UInt8] = []  // the payload of the frame being received
    var receivedFrameCount = 0
    var failure: BLIPError?
    var lastRequestReceived: UInt64 = 0
    var incomingRequests: [UInt64: IncomingMessage] = [:]
    var heldByteCount = 0  // of all incomplete messages
    var unanswered: [UInt64: Unanswered] = [:]
    var queuedReplyByteCount = 0
    var waiting: [UInt64: WaitingReply] = [:]
    var events = Queue<BLIPEvent>()

    private var writer: FrameWriter
    var outbox = Outbox()
    var acknowledgements = Acknowledgements()
    var lastRequestSent: UInt64 = 0

    /// A request of the peer whose reply has not left.
    struct Unanswered {
        let isUrgent: Bool
        var hasReply = false
        var replyByteCount = 0  // queued at once, without what a source gives later
    }

    /// A request of ours whose reply is not complete.
    struct WaitingReply {
        let streams: Bool
        var isDiscarded = false
        var message: IncomingMessage?
    }

    /// Creates a connection on which nothing has been sent.
    ///
    /// - Parameters:
    ///   - codec: What compressed frames are made with; deflate unless both ends chose another.
    ///   - limits: What the peer may make us hold.
    public init(codec: any CompressionCodec, limits: Limits = Limits()) {
        self.limits = limits
        reader = FrameReader(codec: codec)
        writer = FrameWriter(codec: codec)
    }

    /// Returns the next thing that the frames so far mean, or `nil` when more are needed.
    public mutating func next() -> BLIPEvent? { events.popFirst() }

    // MARK: Sending

    /// Which of the codec's grades compresses what is written next; 0 is the densest.
    ///
    /// The middle one at first; one outside the range is moved into it. The peer need not be told.
    public var compressionGrade: Int {
        get { writer.grade }
        set { writer.use(grade: newValue) }
    }

    /// Queues a request.
    ///
    /// - Returns: The number that its reply will carry, or `nil` when it wants none.
    @discardableResult
    public mutating func send(_ request: consuming BLIPRequest) -> BLIPRequestNumber? {
        lastRequestSent += 1
        var bits = FrameKind.request.rawValue
        if request.isUrgent { bits |= FrameFlags.urgent }
        if request.isNoReply { bits |= FrameFlags.noReply }
        let waits = request.isNoReply ? nil : WaitingReply(streams: request.streamsReply)
        let message = OutgoingMessage(
            number: lastRequestSent,
            flags: FrameFlags(bits: bits),
            isCompressed: request.isCompressed,
            properties: request.properties,
            body: request.body
        )
        // Ends here, so that the message takes over what it holds.
        _ = consume request
        outbox.add(consume message)
        guard let waits else { return nil }
        waiting[lastRequestSent] = waits
        return BLIPRequestNumber(rawValue: lastRequestSent)
    }

    /// Queues the reply to a request of the peer; a second one, or one not wanted, is dropped.
    public mutating func reply(to request: BLIPRequestID, with reply: BLIPReply) {
        guard let place = unanswered.index(forKey: request.rawValue),
            !unanswered.values[place].hasReply
        else { return }
        let kind: FrameKind = reply.isError ? .errorReply : .reply
        let urgency = unanswered.values[place].isUrgent ? FrameFlags.urgent : 0
        let message = OutgoingMessage(
            number: request.rawValue,
            flags: FrameFlags(bits: kind.rawValue | urgency),
            isCompressed: reply.isCompressed,
            properties: reply.properties,
            body: reply.body
        )
        unanswered.values[place].hasReply = true
        unanswered.values[place].replyByteCount = message.remainingByteCount
        queuedReplyByteCount += message.remainingByteCount
        outbox.add(message)
    }

    /// Whether the last frame of the reply to a request of the peer has not been made.
    public func isReplying(to request: BLIPRequestID) -> Bool {
        unanswered[request.rawValue] != nil
    }

    /// Gives up a reply: what still comes of it is read, acknowledged and dropped.
    public mutating func cancelReply(to request: BLIPRequestNumber) {
        guard let entry = waiting[request.rawValue], !entry.isDiscarded else { return }
        heldByteCount -= entry.message?.heldByteCount ?? 0
        waiting[request.rawValue]?.isDiscarded = true
        waiting[request.rawValue]?.message?.discard()
    }

    /// The requests that have no complete reply, in order; after the connection they have failed.
    public var waitingRequests: [BLIPRequestNumber] {
        waiting.keys.sorted().map(BLIPRequestNumber.init)
    }

    /// Plain bytes of messages that are not complete.
    public var openByteCount: Int { heldByteCount }

    /// Plain bytes that are queued; of body sources, only what was read.
    public var queuedByteCount: Int { outbox.byteCount }

    /// Whether `nextFrame(into:)` would make a frame.
    public var hasOutput: Bool { !acknowledgements.isEmpty || outbox.hasNext }

    /// Appends one frame, at most 16,384 bytes; returns `false` when there is none to send now.
    ///
    /// A message whose frames the peer has not acknowledged waits; so more may be sendable after
    /// the next `receive(_:)`.
    public mutating func nextFrame(into output: inout [UInt8]) -> Bool {
        if acknowledgements.appendNext(to: &output) { return true }
        if let turn = outbox.writePlain(with: &writer, into: &output) {
            if case .endedReply(let number) = turn { forgetReply(to: number) }
            return true
        }
        guard var message = outbox.takeNext() else { return false }
        let byteCount = outbox.frameByteCount(isUrgent: message.isUrgent)
        if !message.hasBegun { prepare(&message) }
        let outcome = writer.write(&message, byteCount: byteCount, into: &output)
        if let cause = message.takeFailure() { report(cause, of: message) }
        if outcome.hasMore {
            outbox.putBack(message, after: outcome.countedByteCount)
        } else {
            outbox.finish(message)
            if message.isReply { forgetReply(to: message.number) }
        }
        return true
    }

    private mutating func forgetReply(to number: UInt64) {
        queuedReplyByteCount -= unanswered.removeValue(forKey: number)?.replyByteCount ?? 0
    }

    /// Reads ahead; a reply whose source fails before it has begun becomes an error reply.
    private mutating func prepare(_ message: inout OutgoingMessage) {
        message.prefetch()
        guard let cause = message.takeFailure() else { return }
        report(cause, of: message)
        guard message.isReply else { return }
        let reply = BLIPReply.error(domain: "BLIP", code: 500, message: "body cannot be read")
        let urgency = message.flags.bits & FrameFlags.urgent
        message = OutgoingMessage(
            number: message.number,
            flags: FrameFlags(bits: FrameKind.errorReply.rawValue | urgency),
            isCompressed: false,
            properties: reply.properties,
            body: reply.body
        )
    }

    private mutating func report(_ cause: any Error, of message: OutgoingMessage) {
        let key = message.key
        let failure = BLIPBodyFailure(number: key.number, isReply: key.isReply, cause: cause)
        events.append(.bodyFailed(failure))
    }
}
