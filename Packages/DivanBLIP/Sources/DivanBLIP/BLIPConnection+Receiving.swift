extension BLIPConnection {
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
        case .request: try acceptRequest(frame, header)
        case .reply, .errorReply: try acceptReply(frame, header)
        case .acknowledgesRequest: try acceptAcknowledgement(frame, header, isReply: false)
        case .acknowledgesReply: try acceptAcknowledgement(frame, header, isReply: true)
        case nil:
            ignoredFrameCount += 1
            reader.skip(frame, header: header)
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

    /// Returns the frame's plain payload, checked; hand the array back to `plain` for reuse.
    private mutating func readPlain(
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        held: Int
    ) throws(BLIPError.Reason) -> [UInt8] {
        let limit = limits.messageByteCount
        plain.removeAll(keepingCapacity: plain.capacity <= Self.keptByteCount)
        try reader.read(frame, header: header, held: held, limit: limit, into: &plain)
        var payload: [UInt8] = []
        swap(&payload, &plain)
        return payload
    }

    /// A larger payload's memory is given back at the next frame.
    private static var keptByteCount: Int { 262_144 }

    /// Adds to a message of several frames and keeps the count of what is held.
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

    private mutating func acknowledge(
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        of message: inout IncomingMessage
    ) {
        guard let total = message.count(frame.count - header.byteCount) else { return }
        let key = MessageKey(number: header.number, isReply: header.flags.kind != .request)
        acknowledgements.add(key, total: total)
    }

    // MARK: Requests

    private mutating func acceptRequest(
        _ frame: Span<UInt8>,
        _ header: FrameHeader
    ) throws(BLIPError.Reason) {
        let number = header.number
        var message = incomingRequests.isEmpty ? nil : incomingRequests.removeValue(forKey: number)
        if message == nil {
            guard number == lastRequestReceived + 1 else {
                throw .requestNumber(number, expected: lastRequestReceived + 1)
            }
            lastRequestReceived = number
        }
        let payload = try readPlain(frame, header, held: message?.heldByteCount ?? 0)
        defer { plain = payload }
        if message == nil, !header.flags.hasMoreComing {
            let (properties, body) = try whole(payload)
            return try deliverRequest(number, header.flags, properties, body)
        }
        var open = message ?? IncomingMessage(flags: header.flags)
        message = nil
        try append(payload, to: &open)
        guard header.flags.hasMoreComing else {
            heldByteCount -= open.heldByteCount
            guard let properties = open.properties else { throw .truncatedProperties }
            return try deliverRequest(number, open.flags, properties, open.takeBody())
        }
        acknowledge(frame, header, of: &open)
        incomingRequests[number] = open
        guard incomingRequests.count <= limits.openMessageCount else {
            throw .openMessages(limit: limits.openMessageCount)
        }
    }

    /// Reads a message that came in one frame.
    private func whole(
        _ payload: [UInt8]
    ) throws(BLIPError.Reason) -> (properties: BLIPProperties, body: [UInt8]) {
        let limit = limits.propertiesByteCount
        guard let block = try PropertyBlock.read(payload.span, limit: limit) else {
            throw .truncatedProperties
        }
        return (block.properties, Array(payload[block.bodyOffset...]))
    }

    private mutating func deliverRequest(
        _ number: UInt64,
        _ flags: FrameFlags,
        _ properties: BLIPProperties,
        _ body: [UInt8]
    ) throws(BLIPError.Reason) {
        if !flags.isNoReply {
            unanswered[number] = Unanswered(isUrgent: flags.isUrgent)
            guard unanswered.count <= limits.unansweredRequestCount else {
                throw .unansweredRequests(limit: limits.unansweredRequestCount)
            }
            guard queuedReplyByteCount <= limits.queuedReplyByteCount else {
                throw .queuedReplies(limit: limits.queuedReplyByteCount)
            }
        }
        let request = BLIPIncomingRequest(
            id: BLIPRequestID(rawValue: number),
            properties: properties,
            body: body,
            isNoReply: flags.isNoReply,
            isUrgent: flags.isUrgent
        )
        events.append(.request(request))
    }

    // MARK: Replies

    private mutating func acceptReply(
        _ frame: Span<UInt8>,
        _ header: FrameHeader
    ) throws(BLIPError.Reason) {
        let number = header.number
        guard number <= lastRequestSent else { throw .replyNumber(number) }
        let held = waiting[number]?.message?.heldByteCount ?? 0
        let payload = try readPlain(frame, header, held: held)
        defer { plain = payload }
        guard var entry = waiting.removeValue(forKey: number) else {
            ignoredFrameCount += 1
            return
        }
        do throws(BLIPError.Reason) {
            try continueReply(&entry, with: payload, frame, header)
        } catch {
            waiting[number] = entry
            throw error
        }
        if header.flags.hasMoreComing { waiting[number] = entry }
    }

    private mutating func continueReply(
        _ entry: inout WaitingReply,
        with payload: [UInt8],
        _ frame: Span<UInt8>,
        _ header: FrameHeader
    ) throws(BLIPError.Reason) {
        let isFinal = !header.flags.hasMoreComing
        let number = BLIPRequestNumber(rawValue: header.number)
        if entry.message == nil, isFinal, !entry.streams, !entry.isDiscarded {
            let (properties, body) = try whole(payload)
            return deliverReply(number, header.flags, properties, body)
        }
        var message = entry.message.take() ?? IncomingMessage(flags: header.flags)
        if !isFinal { acknowledge(frame, header, of: &message) }
        if !entry.isDiscarded {
            let isNew = message.properties == nil
            try append(payload, to: &message)
            if entry.streams, message.flags.kind == .reply {
                deliverPieces(number, &message, isNew: isNew, isFinal: isFinal)
            }
            if isFinal { try finishReply(number, &message, streams: entry.streams) }
        }
        if !isFinal { entry.message = message }
    }

    private mutating func finishReply(
        _ number: BLIPRequestNumber,
        _ message: inout IncomingMessage,
        streams: Bool
    ) throws(BLIPError.Reason) {
        heldByteCount -= message.heldByteCount
        guard let properties = message.properties else { throw .truncatedProperties }
        guard !streams || message.flags.kind == .errorReply else { return }
        deliverReply(number, message.flags, properties, message.takeBody())
    }

    /// Passes on what a streamed reply has, and counts it as held no more.
    private mutating func deliverPieces(
        _ number: BLIPRequestNumber,
        _ message: inout IncomingMessage,
        isNew: Bool,
        isFinal: Bool
    ) {
        guard let properties = message.properties else { return }
        if isNew { deliverReply(number, message.flags, properties, []) }
        let piece = message.takeBody()
        heldByteCount -= piece.count
        guard !piece.isEmpty || isFinal else { return }
        events.append(.replyPiece(number, piece, isFinal: isFinal))
    }

    private mutating func deliverReply(
        _ number: BLIPRequestNumber,
        _ flags: FrameFlags,
        _ properties: BLIPProperties,
        _ body: [UInt8]
    ) {
        let isError = flags.kind == .errorReply
        let error = isError ? BLIPRemoteError(properties: properties, body: body) : nil
        let reply = BLIPIncomingReply(properties: properties, body: body, error: error)
        events.append(.reply(number, reply))
    }
}
