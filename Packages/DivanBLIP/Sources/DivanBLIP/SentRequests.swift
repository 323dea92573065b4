/// Our requests whose replies are not complete.
///
/// A request waits, then its reply comes: held until it is whole, or passed on in pieces. A reply that
/// was given up is read and dropped, so that flow control goes on. There are as many as the owner sends.
struct SentRequests {
    private var lastNumber: UInt64 = 0
    private var waiting: [UInt64: Waiting] = [:]

    private struct Waiting {
        let streams: Bool
        var isGivenUp = false
        var message: IncomingMessage?
    }

    /// The requests that have no complete reply, in order.
    var numbers: [BLIPRequestNumber] { waiting.keys.sorted().map(BLIPRequestNumber.init) }

    /// The number of the next request.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Waits for the reply to a request that has its number.
    mutating func wait(for number: UInt64, streams: Bool) {
        waiting[number] = Waiting(streams: streams)
    }

    /// Gives up a reply: what has come of it is forgotten, what still comes is dropped.
    mutating func giveUp(_ request: BLIPRequestNumber, with reader: inout MessageReader) {
        guard var entry = waiting[request.rawValue], !entry.isGivenUp else { return }
        entry.isGivenUp = true
        if var message = entry.message.take() {
            reader.discard(&message)
            entry.message = message
        }
        waiting[request.rawValue] = entry
    }

    /// Takes a frame of a reply, and appends what it completes; `false` when nobody waits for it.
    mutating func receive(
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        with reader: inout MessageReader,
        into events: inout Queue<BLIPEvent>
    ) throws(BLIPError.Reason) -> Bool {
        let number = header.number
        guard number <= lastNumber else { throw .replyNumber(number) }
        guard var entry = waiting.removeValue(forKey: number) else {
            try reader.pass(frame, header)
            return false
        }
        do throws(BLIPError.Reason) {
            try Self.continueReply(&entry, frame, header, with: &reader, into: &events)
        } catch {
            waiting[number] = entry
            throw error
        }
        if header.flags.hasMoreComing { waiting[number] = entry }
        return true
    }

    private static func continueReply(
        _ entry: inout Waiting,
        _ frame: Span<UInt8>,
        _ header: FrameHeader,
        with reader: inout MessageReader,
        into events: inout Queue<BLIPEvent>
    ) throws(BLIPError.Reason) {
        guard !entry.isGivenUp else {
            return try reader.drop(frame, header, continuing: &entry.message)
        }
        let number = BLIPRequestNumber(rawValue: header.number)
        // An error always comes whole.
        guard entry.streams, (entry.message?.flags ?? header.flags).kind == .reply else {
            let whole = try reader.read(frame, header, continuing: &entry.message)
            if let whole { events.append(.reply(number, BLIPIncomingReply(whole))) }
            return
        }
        let isFinal = !header.flags.hasMoreComing
        guard let piece = try reader.readPiece(frame, header, continuing: &entry.message)
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

    /// The start of one whose body follows in pieces.
    fileprivate init(beginning piece: MessageReader.Piece) {
        properties = piece.properties
        body = []
        error = nil
    }
}
