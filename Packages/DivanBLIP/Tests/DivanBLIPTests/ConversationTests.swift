import DivanBLIP
import DivanCompression
import DivanTestKit
import DivanZlib
import Testing

/// How many conversations are held, each of `messagesPerConversation` requests.
private let conversationCount = TestLength.of(8, long: UInt64(40))
private let messagesPerConversation = 80

/// Two connections send random messages at random times; all of them arrive, once and unchanged.
@Suite struct ConversationTests {
    @Test(arguments: 0..<conversationCount)
    func `every message arrives once and unchanged in any interleaving`(seed: UInt64) throws {
        var conversation = Conversation(seed: seed)
        try conversation.run()
        #expect(conversation.mistakes == [], "seed \(seed)")
        #expect(conversation.requestCount == messagesPerConversation, "seed \(seed)")
        #expect(conversation.replyCount == conversation.wantedReplyCount, "seed \(seed)")
    }

    @Test
    func `the README example works`() throws {
        var client = BLIPConnection(codec: .deflate)
        var server = BLIPConnection(codec: .deflate)
        client.send(BLIPRequest(profile: "echo", body: .bytes([1, 2, 3]), isCompressed: true))

        var frame: [UInt8] = []
        while client.nextFrame(into: &frame) {
            try server.receive(frame.span)
            frame = []
        }
        while case .request(let request) = server.next() {
            server.reply(to: request.id, with: BLIPReply(body: .bytes(request.body)))
        }
        while server.nextFrame(into: &frame) {
            try client.receive(frame.span)
            frame = []
        }
        guard case .reply(_, let reply) = client.next() else { return }
        #expect(reply.body == [1, 2, 3])
    }

    @Test
    func `an error states the frame, the problem and the solution`() throws {
        var limits = BLIPConnection.Limits()
        limits.messageByteCount = 10
        var connection = BLIPConnection(limits: limits)
        var scribe = FrameBuilder()
        _ = try connection.events(of: [scribe.message(1, 0, [])])
        let frame = scribe.message(2, 0, [], [UInt8](repeating: 0, count: 10))
        let error = #expect(throws: BLIPError.self) { try connection.receive(frame.span) }
        let text = """
            BLIP frame 1: the message exceeds 10 bytes; \
            raise BLIPConnection.Limits.messageByteCount or send less
            """
        #expect(error?.description == text)
    }
}

/// Both ends, the frames in flight, and what was sent.
private struct Conversation {
    private var generator: SeededGenerator
    private var ends = [BLIPConnection(), BLIPConnection()]
    private var onTheWay: [[[UInt8]]] = [[], []]
    private var unanswered: [[BLIPIncomingRequest]] = [[], []]
    private var expectedReplies: [[BLIPRequestNumber: Content]] = [[:], [:]]
    private var pieces: [[BLIPRequestNumber: [UInt8]]] = [[:], [:]]
    private var sentCount = 0
    private(set) var requestCount = 0
    private(set) var replyCount = 0
    private(set) var wantedReplyCount = 0
    private(set) var mistakes: [String] = []

    /// The expected contents of a message, determined by its salt.
    private struct Content {
        let salt: UInt64
        let streams: Bool
    }

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func run() throws(BLIPError) {
        var isBusy = true
        while isBusy {
            let end = Int.random(in: 0...1, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...2 where sentCount < messagesPerConversation: ask(from: end)
            case 3...4: answer(at: end)
            case 5...6: makeFrames(at: end)
            default: try deliver(to: end)
            }
            isBusy = sentCount < messagesPerConversation || ends.contains { $0.hasOutput }
            isBusy = isBusy || onTheWay.contains { !$0.isEmpty }
            isBusy = isBusy || unanswered.contains { !$0.isEmpty }
        }
    }

    private mutating func ask(from end: Int) {
        let salt = generator.next()
        let streams = Bool.random(using: &generator)
        let number = ends[end].send(
            BLIPRequest(
                profile: String(salt),
                properties: Self.properties(salt),
                body: body(salt),
                isUrgent: Int.random(in: 0..<4, using: &generator) == 0,
                isNoReply: Int.random(in: 0..<4, using: &generator) == 0,
                isCompressed: Bool.random(using: &generator),
                streamsReply: streams
            )
        )
        sentCount += 1
        guard let number else { return }
        wantedReplyCount += 1
        expectedReplies[end][number] = Content(salt: ~salt, streams: streams)
    }

    private mutating func answer(at end: Int) {
        guard let index = unanswered[end].indices.randomElement(using: &generator) else { return }
        let request = unanswered[end].remove(at: index)
        let salt = ~(UInt64(request.profile) ?? 0)
        var reply = BLIPReply(
            properties: Self.properties(salt),
            body: body(salt),
            isCompressed: Bool.random(using: &generator)
        )
        reply.isError = salt.isMultiple(of: 5)
        ends[end].reply(to: request.id, with: reply)
    }

    private mutating func makeFrames(at end: Int) {
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            var frame: [UInt8] = []
            guard ends[end].nextFrame(into: &frame) else { return }
            if frame.count > 16_384 { mistakes.append("a frame of \(frame.count) bytes") }
            onTheWay[1 - end].append(frame)
        }
    }

    private mutating func deliver(to end: Int) throws(BLIPError) {
        guard !onTheWay[end].isEmpty else { return }
        let frame = onTheWay[end].removeFirst()
        try ends[end].receive(frame.span)
        while let event = ends[end].next() { note(event, at: end) }
    }

    private mutating func note(_ event: BLIPEvent, at end: Int) {
        switch event {
        case .request(let request):
            requestCount += 1
            let salt = UInt64(request.profile) ?? 0
            compare("request", request.body, Self.bytes(salt))
            if request.properties["salt"] != String(salt) { mistakes.append("properties") }
            if !request.isNoReply { unanswered[end].append(request) }
        case .reply(let number, let reply):
            guard let said = expectedReplies[end][number] else {
                mistakes.append("reply \(number) twice")
                return
            }
            if reply.properties["salt"] != String(said.salt) { mistakes.append("properties") }
            if (reply.error != nil) != said.salt.isMultiple(of: 5) { mistakes.append("error") }
            guard !said.streams || reply.error != nil else { return }
            finish(number, reply.body, at: end)
        case .replyPiece(let number, let bytes, let isFinal):
            pieces[end][number, default: []] += bytes
            if isFinal { finish(number, pieces[end][number] ?? [], at: end) }
        case .bodyFailed(let failure):
            mistakes.append("\(failure)")
        }
    }

    private mutating func finish(_ number: BLIPRequestNumber, _ body: [UInt8], at end: Int) {
        guard let said = expectedReplies[end].removeValue(forKey: number) else {
            mistakes.append("reply \(number) ends twice")
            return
        }
        replyCount += 1
        compare("reply", body, Self.bytes(said.salt))
    }

    private mutating func compare(_ name: String, _ body: [UInt8], _ expected: [UInt8]) {
        if body != expected { mistakes.append("\(name) of \(expected.count) bytes differs") }
    }

    private static func properties(_ salt: UInt64) -> BLIPProperties {
        var properties: BLIPProperties = ["salt": String(salt)]
        if salt.isMultiple(of: 7) {
            properties["long"] = String(repeating: "é", count: Int(salt % 40_000))
        }
        return properties
    }

    private mutating func body(_ salt: UInt64) -> BLIPBody {
        let bytes = Self.bytes(salt)
        guard Int.random(in: 0..<4, using: &generator) == 0 else { return .bytes(bytes) }
        return .source(PiecewiseSource(bytes))
    }

    /// Mostly short, rarely longer than a window; half of it compressible.
    private static func bytes(_ salt: UInt64) -> [UInt8] {
        let count = Int(salt >> 32 % (salt.isMultiple(of: 16) ? 300_000 : 4000))
        guard salt.isMultiple(of: 2) else {
            return [UInt8](repeating: UInt8(truncatingIfNeeded: salt >> 8), count: count)
        }
        var generator = SeededGenerator(seed: salt)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }
}

/// Returns its bytes in pieces of odd lengths.
private final class PiecewiseSource: BLIPBodySource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    func read(upTo count: Int) -> [UInt8] {
        let piece = rest.prefix(min(count, 1 + rest.count * 3 / 7))
        rest = rest.dropFirst(piece.count)
        return Array(piece)
    }
}
