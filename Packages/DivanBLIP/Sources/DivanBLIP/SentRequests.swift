/// Our requests whose replies are not complete.
///
/// A request waits, then its reply arrives: held until it is complete, or passed on in pieces. A cancelled reply is
/// read and dropped, so that flow control continues. There are as many as the owner sends.
struct SentRequests {
    private var lastNumber: UInt64 = 0
    private var waiting = NumberTable<Waiting>()
    /// What has arrived of replies with several frames.
    private var messages: [UInt64: IncomingMessage] = [:]

    private struct Waiting {
        let streams: Bool
        var isGivenUp = false
    }

    /// The requests without a complete reply, in order.
    var numbers: [BLIPRequestNumber] { waiting.numbers.map(BLIPRequestNumber.init) }

    /// The number of the next request.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Starts to wait for the reply to a numbered request.
    mutating func wait(for number: UInt64, streams: Bool) {
        waiting.insert(Waiting(streams: streams), at: number)
    }

    /// Cancels a reply: what has arrived of it is forgotten, what still arrives is dropped.
    mutating func giveUp(_ request: BLIPRequestNumber, with reader: inout MessageReader) {
        guard var entry = waiting[request.rawValue], !entry.isGivenUp else { return }
        entry.isGivenUp = true
        waiting[request.rawValue] = entry
        guard var message = messages.removeValue(forKey: request.rawValue) else { return }
        reader.discard(&message)
        messages[request.rawValue] = message
    }

    /// Takes a frame of a reply, and appends what it completes; `false` if nobody waits for it.
    mutating func receive(
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        with reader: inout MessageReader,
        into events: inout Queue<BLIPEvent>
    ) throws(BLIPError.Reason) -> Bool {
        let number = header.number
        guard number <= lastNumber else { throw .replyNumber(number) }
        guard let entry = waiting[number] else {
            try reader.pass(frame, header)
            return false
        }
        var message = messages.isEmpty ? nil : messages.removeValue(forKey: number)
        try Self.continueReply(entry, &message, frame, header, with: &reader, into: &events)
        if header.flags.hasMoreComing {
            messages[number] = message
        } else {
            _ = waiting.remove(number)
        }
        return true
    }

    private static func continueReply(
        _ entry: Waiting,
        _ message: inout IncomingMessage?,
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        with reader: inout MessageReader,
        into events: inout Queue<BLIPEvent>
    ) throws(BLIPError.Reason) {
        guard !entry.isGivenUp else {
            return try reader.drop(frame, header, continuing: &message)
        }
        let number = BLIPRequestNumber(rawValue: header.number)
        // An error always arrives whole.
        guard entry.streams, (message?.flags ?? header.flags).kind == .reply else {
            let whole = try reader.read(frame, header, continuing: &message)
            if let whole { events.append(.reply(number, BLIPIncomingReply(whole))) }
            return
        }
        let isFinal = !header.flags.hasMoreComing
        guard let piece = try reader.readPiece(frame, header, continuing: &message)
        else { return }
        if piece.isFirst { events.append(.reply(number, BLIPIncomingReply(beginning: piece))) }
        guard isFinal || !piece.body.isEmpty else { return }
        events.append(.replyPiece(number, piece.body, isFinal: isFinal))
    }
}

extension BLIPIncomingReply {
    fileprivate init(_ message: MessageReader.Whole) {
        properties = message.properties
        body = message.body
        error =
            message.flags.kind == .errorReply
            ? BLIPRemoteError(properties: message.properties, body: message.body) : nil
    }

    /// The start of a reply whose body follows in pieces.
    fileprivate init(beginning piece: MessageReader.Piece) {
        properties = piece.properties
        body = []
        error = nil
    }
}
