import DivanBLIP
public import DivanCompression
import DivanTestKit
import DivanWebSocket

/// Two peers back to back, BLIP over WebSocket without sockets, that send random messages at random
/// times; every byte is transferred in random pieces.
///
/// The contents of a message depend on a salt that is sent as its profile, so the receiver knows
/// what to expect. The seed determines everything, so a failing storm can be repeated.
public struct MessageStorm {
    /// The result of a storm.
    public struct Outcome: Sendable {
        /// Requests and replies that arrived.
        public fileprivate(set) var arrivedCount = 0
        /// Bytes transferred, both ways.
        public fileprivate(set) var byteCount = 0
        /// One sentence for each message that was lost, duplicated or changed; the first few.
        public fileprivate(set) var mistakes: [String] = []

        fileprivate mutating func note(_ mistake: String) {
            if mistakes.count < 10 { mistakes.append(mistake) }
        }
    }

    /// Bytes in transit above which a peer creates no further frames, like a real socket.
    private static let pipeByteCount = 200_000
    /// Unanswered requests above which a peer sends no more.
    private static let openRequestCount = 400

    private let messageCount: Int
    private var generator: SeededGenerator
    private var ends: [StormEnd]
    private var sentCount = 0
    private var expectedReplies: [[BLIPRequestNumber: Expected]] = [[:], [:]]
    private var expectedRequests: [Set<UInt64>] = [[], []]
    private var pieces: [[BLIPRequestNumber: [UInt8]]] = [[:], [:]]
    private var unanswered: [[BLIPIncomingRequest]] = [[], []]
    private var outcome = Outcome()

    private struct Expected {
        let salt: UInt64
        let streams: Bool
    }

    /// Prepares a storm of `messageCount` requests and replies or a few more.
    public init(seed: UInt64, messageCount: Int, codec: some CompressionCodec) {
        self.messageCount = messageCount
        generator = SeededGenerator(seed: seed)
        ends = [.client, .server].map { StormEnd(role: $0, codec: codec, seed: seed) }
    }

    /// Runs the storm until everything is sent and has arrived.
    ///
    /// - Throws: The error with which a connection failed.
    public mutating func run() throws -> Outcome {
        repeat {
            let end = Int.random(in: 0...1, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2: ask(from: end)
            case 3...4: answer(at: end)
            case 5:
                let room = Self.pipeByteCount - ends[1 - end].arrivingByteCount
                if room > 0 { ends[1 - end].arrive(ends[end].makeFrames(using: &generator)) }
            default: try deliver(to: end)
            }
        } while isBusy
        for end in 0...1 {
            for salt in expectedRequests[end] { outcome.note("request \(salt) is lost") }
            for (number, _) in expectedReplies[end] {
                outcome.note("the reply to \(number.rawValue) is lost")
            }
        }
        return outcome
    }

    private var isBusy: Bool {
        sentCount < messageCount || unanswered.contains { !$0.isEmpty }
            || ends.contains { $0.isBusy }
    }

    // MARK: Sending

    private mutating func ask(from end: Int) {
        guard sentCount < messageCount,
            expectedReplies[end].count + expectedRequests[1 - end].count < Self.openRequestCount
        else { return }
        let salt = generator.next()
        let message = StormMessage(salt: salt)
        let isNoReply = Int.random(in: 0..<4, using: &generator) == 0
        let streams = Int.random(in: 0..<3, using: &generator) == 0
        let number = ends[end].blip.send(
            BLIPRequest(
                profile: String(salt),
                properties: message.properties,
                body: .bytes(message.body),
                isUrgent: Int.random(in: 0..<4, using: &generator) == 0,
                isNoReply: isNoReply,
                isCompressed: Bool.random(using: &generator),
                streamsReply: streams
            )
        )
        sentCount += 1
        if !expectedRequests[1 - end].insert(salt).inserted { outcome.note("a salt came twice") }
        if let number {
            expectedReplies[end][number] = Expected(salt: ~salt, streams: streams)
        }
    }

    /// Answers some request, not the oldest.
    private mutating func answer(at end: Int) {
        guard !unanswered[end].isEmpty else { return }
        let place = Int.random(in: unanswered[end].indices, using: &generator)
        unanswered[end].swapAt(place, unanswered[end].count - 1)
        let request = unanswered[end].removeLast()
        guard let salt = UInt64(request.profile) else { return }
        let message = StormMessage(salt: ~salt)
        ends[end].blip.reply(
            to: request.id,
            with: BLIPReply(
                properties: message.properties,
                body: .bytes(message.body),
                isCompressed: Bool.random(using: &generator)
            )
        )
        sentCount += 1
    }

    // MARK: Receiving

    private mutating func deliver(to end: Int) throws {
        outcome.byteCount += try ends[end].take(using: &generator)
        while let event = ends[end].blip.next() {
            switch event {
            case .request(let request): hear(request, at: end)
            case .reply(let number, let reply): hear(reply, to: number, at: end)
            case .replyPiece(let number, let bytes, let isFinal):
                pieces[end][number, default: []] += bytes
                guard isFinal, let body = pieces[end].removeValue(forKey: number) else { continue }
                compare(body, number, at: end)
            case .bodyFailed(let failure): outcome.note("a body failed: \(failure.cause)")
            }
        }
    }

    private mutating func hear(_ request: BLIPIncomingRequest, at end: Int) {
        guard let salt = UInt64(request.profile), expectedRequests[end].remove(salt) != nil else {
            return outcome.note("\(request.profile) came twice, or was never sent")
        }
        let message = StormMessage(salt: salt)
        var properties: BLIPProperties = ["Profile": request.profile]
        properties.append(contentsOf: message.properties)
        if properties != request.properties || message.body != request.body {
            outcome.note("request \(salt) arrives changed")
        }
        outcome.arrivedCount += 1
        if !request.isNoReply { unanswered[end].append(request) }
    }

    private mutating func hear(
        _ reply: BLIPIncomingReply,
        to number: BLIPRequestNumber,
        at end: Int
    ) {
        guard let expected = expectedReplies[end][number] else {
            return outcome.note("a reply to \(number.rawValue) came twice, or unasked")
        }
        if StormMessage(salt: expected.salt).properties != reply.properties {
            outcome.note("reply \(expected.salt) arrives changed")
        }
        // The body of a streamed reply follows in pieces, even if it is empty.
        if !expected.streams { compare(reply.body, number, at: end) }
    }

    private mutating func compare(_ body: [UInt8], _ number: BLIPRequestNumber, at end: Int) {
        guard let salt = expectedReplies[end].removeValue(forKey: number)?.salt else {
            return outcome.note("a reply to \(number.rawValue) came twice")
        }
        if StormMessage(salt: salt).body != body { outcome.note("reply \(salt) arrives changed") }
        outcome.arrivedCount += 1
    }
}
