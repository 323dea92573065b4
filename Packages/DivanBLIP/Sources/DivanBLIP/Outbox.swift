/// The outgoing messages: which one makes the next frame, how long that may be, and which must wait.
///
/// Source: `blip.md` §5 (order), §6 (flow control).
struct Outbox {
    private var writer: FrameWriter
    private var queue = Queue<OutgoingMessage>()
    /// Those of messages with several frames.
    private var flows: [MessageKey: MessageFlow] = [:]
    /// Uncompressed bytes of all messages that are still to be sent.
    private(set) var byteCount = 0

    init(writer: FrameWriter) {
        self.writer = writer
    }

    /// Messages that wait to send a frame.
    var messageCount: Int { queue.count }

    /// The codec's grade, from the next frame on.
    var grade: Int {
        get { writer.grade }
        set { writer.use(grade: newValue) }
    }

    /// Whether a frame can be made now.
    var hasNext: Bool { !queue.isEmpty }

    /// Queues a message of which no frame has been sent.
    mutating func add(_ message: consuming OutgoingMessage) {
        byteCount += message.remainingByteCount
        enqueue(consume message)
    }

    /// What happened to the message whose frame was made.
    enum Turn {
        case goesOn
        case ended
        case endedReply(to: UInt64)
    }

    /// Appends the next frame; does nothing and returns `nil` if no message may send one.
    ///
    /// A body source that fails is reported to `events`.
    mutating func writeFrame(
        into output: inout [UInt8],
        events: inout Queue<BLIPEvent>
    ) -> Turn? {
        if let turn = writePlain(into: &output) { return turn }
        guard var message = queue.popFirst() else { return nil }
        byteCount -= message.remainingByteCount
        let limit = frameByteCount(isUrgent: message.isUrgent)
        if !message.hasBegun { prepare(&message, events: &events) }
        let outcome = writer.write(&message, byteCount: limit, into: &output)
        report(&message, to: &events)
        if outcome.hasMore {
            putBack(message, after: outcome.countedByteCount)
            return .goesOn
        }
        if !flows.isEmpty { endFlow(of: message.key) }
        return message.isReply ? .endedReply(to: message.number) : .ended
    }

    /// Makes a frame of the next message, without taking it out of the queue.
    ///
    /// Does nothing and returns `nil` if there is none or if it needs more than its own bytes.
    private mutating func writePlain(into output: inout [UInt8]) -> Turn? {
        guard queue.first?.isPlain == true, let isUrgent = queue.first?.isUrgent else { return nil }
        byteCount -= queue.first?.remainingByteCount ?? 0
        let isShort = !isUrgent && queue.count > 1 && queue[1]?.isUrgent == true
        let limit = isShort ? Wire.shortFrameByteCount : Wire.longFrameByteCount
        let outcome = queue.first?.writeFrame(with: &writer, byteCount: limit, into: &output)
        if let outcome, outcome.hasMore, let message = queue.popFirst() {
            putBack(message, after: outcome.countedByteCount)
            return .goesOn
        }
        if !flows.isEmpty, let key = queue.first?.key { endFlow(of: key) }
        let reply = queue.first?.isReply == true ? queue.first?.number : nil
        queue.dropFirst()
        return reply.map { .endedReply(to: $0) } ?? .ended
    }

    /// Reads ahead; a reply whose source fails before it has begun becomes an error reply.
    private func prepare(_ message: inout OutgoingMessage, events: inout Queue<BLIPEvent>) {
        message.prefetch()
        guard report(&message, to: &events), message.isReply else { return }
        let reply = BLIPReply.error(domain: "BLIP", code: 500, message: "body cannot be read")
        message = OutgoingMessage(reply, to: message.number, isUrgent: message.isUrgent)
    }

    /// Whether the body's source has failed since the last call.
    @discardableResult
    private func report(
        _ message: inout OutgoingMessage,
        to events: inout Queue<BLIPEvent>
    ) -> Bool {
        guard let cause = message.takeFailure() else { return false }
        let key = message.key
        let failure = BLIPBodyFailure(number: key.number, isReply: key.isReply, cause: cause)
        events.append(.bodyFailed(failure))
        return true
    }

    /// The most bytes that the next frame of a dequeued message may have.
    private func frameByteCount(isUrgent: Bool) -> Int {
        guard !isUrgent, !queue.isEmpty, let next = queue.first else {
            return Wire.longFrameByteCount
        }
        return next.isUrgent ? Wire.shortFrameByteCount : Wire.longFrameByteCount
    }

    /// Requeues a message with frames left; its last had `countedByteCount` bytes after the header.
    private mutating func putBack(_ message: OutgoingMessage, after countedByteCount: Int) {
        byteCount += message.remainingByteCount
        let key = message.key
        let event = MessageFlow.Event.frameMade(byteCount: countedByteCount, of: message)
        if flows[key, default: .queued].handle(event).contains(.enqueue) { enqueue(message) }
    }

    private mutating func endFlow(of key: MessageKey) {
        guard let place = flows.index(forKey: key) else { return }
        _ = flows.values[place].handle(.lastFrameMade)
        if case .over = flows.values[place] { flows.remove(at: place) }
    }

    /// Records how much of a message the peer has received; ignores impossible values.
    mutating func acknowledge(_ key: MessageKey, upTo byteCount: UInt64) {
        guard let place = flows.index(forKey: key) else { return }
        let flow = flows.values[place]
        let effects = flows.values[place].handle(.acknowledged(byteCount: byteCount))
        if effects.contains(.enqueue), case .paused(_, let message) = flow { enqueue(message) }
    }

    /// Queues a message at its place by the rules of `blip.md` §5.
    ///
    /// Normal ones go to the end. An urgent one goes after the last urgent one and one normal message after it, so that
    /// normal ones are not starved; without an urgent one, after the first. But a message that has not begun never
    /// overtakes another that has not begun.
    private mutating func enqueue(_ message: consuming OutgoingMessage) {
        if message.isUrgent, queue.count > 1 {
            let place = place(isBegun: message.hasBegun)
            queue.insert(message, at: place)
        } else {
            queue.append(consume message)
        }
    }

    /// The place of an urgent message, depending on whether it has begun.
    private func place(isBegun: Bool) -> Int {
        var place = queue.count
        while place > 1, let before = queue[place - 1] {
            if before.isUrgent { return min(place + 1, queue.count) }
            if !isBegun, !before.hasBegun { break }
            place -= 1
        }
        return place
    }
}

extension OutgoingMessage {
    /// Makes its next frame, of at most `byteCount` bytes, in place.
    fileprivate mutating func writeFrame(
        with writer: inout FrameWriter,
        byteCount: Int,
        into output: inout [UInt8]
    ) -> FrameWriter.Outcome {
        writer.write(&self, byteCount: byteCount, into: &output)
    }
}
