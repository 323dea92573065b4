/// The requests of the peer, each from its first frame to the last of its reply.
///
/// A request is incomplete, then delivered and unanswered, then its reply is being sent; it is forgotten with the
/// reply's last frame. One that wants no reply is forgotten once it is delivered. Bounded by `Limits.openMessageCount`,
/// `unansweredRequestCount` and `queuedReplyByteCount`.
struct ReceivedRequests {
    private let limits: BLIPLimits
    private var lastNumber: UInt64 = 0
    private var incomplete: [UInt64: IncomingMessage] = [:]
    private var unanswered = NumberTable<Unanswered>()
    private var queuedReplyByteCount = 0

    /// A request whose reply has not been sent.
    private struct Unanswered {
        let isUrgent: Bool
        var hasReply = false
        var replyByteCount = 0  // queued at once, without what a source gives later
    }

    init(limits: BLIPLimits) {
        self.limits = limits
    }

    /// Takes a frame of a request; returns the request once it is complete.
    mutating func receive(
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        with reader: inout MessageReader
    ) throws(BLIPError.Reason) -> BLIPIncomingRequest? {
        let number = header.number
        var message = incomplete.isEmpty ? nil : incomplete.removeValue(forKey: number)
        if message == nil {
            guard number == lastNumber + 1 else {
                throw .requestNumber(number, expected: lastNumber + 1)
            }
            lastNumber = number
        }
        if let whole = try reader.read(frame, header, continuing: &message) {
            return try handOut(number, whole)
        }
        incomplete[number] = message
        guard incomplete.count <= limits.openMessageCount else {
            throw .openMessages(limit: limits.openMessageCount)
        }
        return nil
    }

    private mutating func handOut(
        _ number: UInt64,
        _ message: MessageReader.Whole
    ) throws(BLIPError.Reason) -> BLIPIncomingRequest {
        let flags = message.flags
        if !flags.isNoReply {
            unanswered.insert(Unanswered(isUrgent: flags.isUrgent), at: number)
            guard unanswered.count <= limits.unansweredRequestCount else {
                throw .unansweredRequests(limit: limits.unansweredRequestCount)
            }
            guard queuedReplyByteCount <= limits.queuedReplyByteCount else {
                throw .queuedReplies(limit: limits.queuedReplyByteCount)
            }
        }
        return BLIPIncomingRequest(
            id: BLIPRequestID(rawValue: number),
            properties: message.properties,
            body: message.body,
            isNoReply: flags.isNoReply,
            isUrgent: flags.isUrgent
        )
    }

    /// Creates the reply message to a request; `nil` if it already has a reply or wants none.
    mutating func answer(_ request: BLIPRequestID, with reply: BLIPReply) -> OutgoingMessage? {
        guard var question = unanswered[request.rawValue], !question.hasReply else { return nil }
        let message = OutgoingMessage(reply, to: request.rawValue, isUrgent: question.isUrgent)
        question.hasReply = true
        question.replyByteCount = message.remainingByteCount
        unanswered[request.rawValue] = question
        queuedReplyByteCount += message.remainingByteCount
        return message
    }

    /// Whether a request's reply has not been sent completely, or not been given.
    func isOpen(_ request: BLIPRequestID) -> Bool { unanswered[request.rawValue] != nil }

    /// Forgets a request whose reply's last frame has been made.
    mutating func forget(_ number: UInt64) {
        queuedReplyByteCount -= unanswered.remove(number)?.replyByteCount ?? 0
    }
}
