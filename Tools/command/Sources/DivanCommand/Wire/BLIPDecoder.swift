import DivanBLIP
import DivanCompression

/// Decodes what one end sends, by receiving it as the other end does.
///
/// A `BLIPConnection` receives the frames. It accepts only replies to its own requests, so it sends as many requests
/// as the end that it represents; it limits unanswered requests, so it replies at once. None of its own frames is
/// transmitted.
struct BLIPDecoder {
    private struct Key: Hashable {
        let number: UInt64
        let isReply: Bool
    }

    /// A reply whose body arrives in pieces.
    private struct OpenReply {
        let properties: BLIPProperties
        var bodyStart: [UInt8] = []
        var bodyByteCount = 0
    }

    private let bodyStartByteCount: Int
    private var connection: BLIPConnection
    private var askedCount: UInt64 = 0
    private var traces: [Key: FrameTrace] = [:]
    private var openReplies: [UInt64: OpenReply] = [:]
    private var unsent: [UInt8] = []

    /// Creates a mirror that keeps this many bytes of each body.
    init(codec: any CompressionCodec, keeping bodyStartByteCount: Int) {
        self.bodyStartByteCount = bodyStartByteCount
        connection = BLIPConnection(codec: codec)
    }

    /// Takes one WebSocket message; returns the messages that it completes.
    mutating func receive(
        _ frame: [UInt8],
        _ outline: BLIPFrameOutline
    ) throws(BLIPError) -> [WireMessage] {
        let key = note(outline)
        if let key, key.isReply { ask(upTo: key.number) }
        try connection.receive(frame.span)
        var messages: [WireMessage] = []
        while let event = connection.next() {
            if let message = message(of: event) { messages.append(message) }
        }
        if let key, !outline.hasMoreComing { traces[key] = nil }
        while connection.nextFrame(into: &unsent) { unsent.removeAll(keepingCapacity: true) }
        return messages
    }

    private mutating func note(_ outline: BLIPFrameOutline) -> Key? {
        let key: Key
        switch outline.kind {
        case .request: key = Key(number: outline.number, isReply: false)
        case .reply, .errorReply: key = Key(number: outline.number, isReply: true)
        case .acknowledgesRequest, .acknowledgesReply, .unknown: return nil
        }
        traces[key, default: FrameTrace()].add(outline)
        return key
    }

    /// Sends requests until a reply with that number answers one; a number far ahead is left to be refused.
    private mutating func ask(upTo number: UInt64) {
        guard number > askedCount, number - askedCount <= WireLimits.unseenRequestCount else {
            return
        }
        while askedCount < number {
            connection.send(BLIPRequest(properties: [:], streamsReply: true))
            askedCount += 1
        }
        while connection.nextFrame(into: &unsent) { unsent.removeAll(keepingCapacity: true) }
    }

    private mutating func message(of event: BLIPEvent) -> WireMessage? {
        switch event {
        case .request(let request):
            if !request.isNoReply { connection.reply(to: request.id, with: BLIPReply()) }
            return WireMessage(
                kind: .request,
                number: request.id.rawValue,
                properties: request.properties,
                bodyStart: Array(request.body.prefix(bodyStartByteCount)),
                bodyByteCount: request.body.count,
                trace: trace(request.id.rawValue, isReply: false)
            )
        case .reply(let number, let reply):
            guard reply.error != nil else {
                openReplies[number.rawValue] = OpenReply(properties: reply.properties)
                return nil
            }
            return WireMessage(
                kind: .error,
                number: number.rawValue,
                properties: reply.properties,
                bodyStart: Array(reply.body.prefix(bodyStartByteCount)),
                bodyByteCount: reply.body.count,
                trace: trace(number.rawValue, isReply: true)
            )
        case .replyPiece(let number, let piece, let isFinal):
            return take(piece, of: number.rawValue, isFinal: isFinal)
        case .bodyFailed: return nil  // nothing is sent from a source
        }
    }

    private mutating func take(
        _ piece: [UInt8],
        of number: UInt64,
        isFinal: Bool
    ) -> WireMessage? {
        guard var reply = openReplies.removeValue(forKey: number) else { return nil }
        reply.bodyStart += piece.prefix(bodyStartByteCount - reply.bodyStart.count)
        reply.bodyByteCount += piece.count
        guard isFinal else {
            openReplies[number] = reply
            return nil
        }
        return WireMessage(
            kind: .reply,
            number: number,
            properties: reply.properties,
            bodyStart: reply.bodyStart,
            bodyByteCount: reply.bodyByteCount,
            trace: trace(number, isReply: true)
        )
    }

    private func trace(_ number: UInt64, isReply: Bool) -> FrameTrace {
        traces[Key(number: number, isReply: isReply)] ?? FrameTrace()
    }
}
