import DivanBLIP
import DivanWebSocket
import DivanZlib

/// One end of an open connection, which sends what a conversation contains, however the other end
/// reacts.
///
/// It creates its frames itself, so that it can repeat a reply, break off a message or send something
/// that is not a frame. One of our connections reads what arrives, and acknowledges it.
struct ConversationRunner {
    /// What the other end did wrong.
    private(set) var flaw: String?
    /// Whether the connection is over.
    private(set) var isOver = false
    /// Unanswered requests of the other end, the oldest first.
    private(set) var asked: [BLIPIncomingRequest] = []
    /// The replies that arrived for requests of this end.
    private(set) var answers: [UInt64: BLIPIncomingReply] = [:]

    private let wire: Wire
    private var socket: WebSocketConnection
    private var shadow = BLIPConnection(codec: DeflateCodec())
    private var forge = FrameForge(codec: DeflateCodec())
    private var sentCount: UInt64 = 0
    private var latest: BLIPIncomingRequest?
    /// Whether what was sent is no longer a valid conversation, so that no reply can be expected.
    private var isGarbled: Bool

    /// Milliseconds after which a connected but silent peer counts as hanging.
    private static let patience = 20_000
    private static let turn = "fuzz-turn"

    /// `isGarbled`: whether the other end may already be waiting for something else.
    init(_ wire: Wire, role: Role, rest: [UInt8] = [], isGarbled: Bool = false) {
        self.wire = wire
        self.isGarbled = isGarbled
        let configuration = WebSocketConnection.Configuration(heartbeatInterval: nil)
        socket = WebSocketConnection(
            role: role,
            configuration: configuration,
            random: FixedRandom(),
            now: .zero
        )
        take(rest)
    }

    /// Performs one act, and waits until the other end has processed it.
    mutating func perform(_ act: Conversation.Act) {
        guard !isOver else { return }
        switch act.kind {
        case .asks: send(request(act), act.manner)
        case .answers, .refuses, .answersAgain: answer(act)
        case .forgets: if let place = place(of: act) { asked.remove(at: place) }
        case .closes:
            let code = act["code"].flatMap { UInt16($0) } ?? 1000
            close(code, reason: String(decoding: act.body, as: UTF8.self))
        case .message:
            isGarbled = true
            socket.send(act.body.span)
        case .bytes:
            isGarbled = true
            flush()
            wire.send(act.body)
        }
        flush()
        if !act.manner.contains(.hurries) { settle() }
    }

    /// Sends a request like a peer that follows the rules; returns its number.
    @discardableResult
    mutating func ask(_ act: Conversation.Act) -> UInt64 {
        send(request(act), act.manner)
        flush()
        return sentCount
    }

    /// Closes the connection properly, and waits for the other end to agree.
    mutating func close(_ code: UInt16 = 1000, reason: String = "") {
        socket.close(code: code, reason: reason, at: .zero)
        flush()
        var waits = 0
        while !isOver, waits < 50 {
            listen(10)
            waits += 1
        }
        isOver = true
    }

    /// Waits until the other end has processed what was sent, and has sent its reaction.
    ///
    /// An unknown request is answered in the next turn; the results of the turn before have arrived when a
    /// second one is answered.
    mutating func settle() {
        for _ in 0..<2 where !isOver {
            guard !isGarbled else { return listen(3) }
            send(.ask(Self.turn, []), [])
            flush()
            var waited = 0
            while !isOver, !isGarbled, answers[sentCount] == nil {
                listen(50)
                waited += 50
                guard waited < Self.patience else {
                    flaw = "a connected peer has not answered for \(waited) ms"
                    isOver = true
                    return
                }
            }
        }
    }

    // MARK: Frames

    private func request(_ act: Conversation.Act) -> Conversation.Act {
        var request = act
        request.properties.removeAll { $0.name == Conversation.place }
        return request
    }

    private mutating func send(_ act: Conversation.Act, _ manner: Conversation.Manner) {
        for _ in 0..<(manner.contains(.repeats) ? 2 : 1) {
            sentCount += 1
            // So that the replies to it are read.
            _ = shadow.send(BLIPRequest(properties: [:]))
            let silent: UInt8 = manner.contains(.wantsNoAnswer) ? Frame.noReply : 0
            send(number: sentCount, flags: Frame.request | silent, act)
        }
    }

    private mutating func answer(_ act: Conversation.Act) {
        let request: BLIPIncomingRequest?
        if act.kind == .answersAgain {
            request = asked.popLast() ?? latest
        } else {
            request = place(of: act).map { asked.remove(at: $0) }
        }
        guard let request else { return }
        latest = request
        shadow.reply(to: request.id, with: .empty)
        let kind = act.kind == .refuses ? Frame.errorReply : Frame.reply
        for _ in 0..<(act.manner.contains(.repeats) ? 2 : 1) {
            send(number: request.id.rawValue, flags: kind, self.request(act))
        }
    }

    private func place(of act: Conversation.Act) -> Int? {
        guard !asked.isEmpty else { return nil }
        return act[Conversation.place].flatMap { profile in
            asked.firstIndex { $0.profile == profile }
        } ?? 0
    }

    private mutating func send(number: UInt64, flags: UInt8, _ act: Conversation.Act) {
        var properties: [UInt8] = []
        for property in act.properties {
            properties += Array(property.name.utf8.filter { $0 != 0 }) + [0]
            properties += Array(property.value.utf8.filter { $0 != 0 }) + [0]
        }
        let isOpen = act.manner.contains(.breaksOff) ? Frame.moreComing : 0
        var frame = Self.varint(number) + [flags | isOpen]
        frame += Self.varint(UInt64(properties.count)) + properties + act.body + [0, 0, 0, 0]
        if act.manner.contains(.compresses) { frame = forge.compressed(frame) }
        frame = forge.repaired(frame)
        socket.send(frame.span)
    }

    private static func varint(_ number: UInt64) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    // MARK: Bytes

    /// Writes pending output; of the shadow's frames only acknowledgements, as the others were forged.
    private mutating func flush() {
        var frame: [UInt8] = []
        while shadow.nextFrame(into: &frame) {
            if Frame.isAcknowledgement(frame) { socket.send(frame.span) }
            frame = []
        }
        let output = socket.takeOutput()
        if !output.isEmpty, !wire.send(output) { isOver = true }
    }

    private mutating func listen(_ milliseconds: Int32) {
        guard let bytes = wire.receive(within: milliseconds) else {
            isOver = true
            return
        }
        if !bytes.isEmpty { take(bytes) }
    }

    private mutating func take(_ bytes: [UInt8]) {
        socket.receive(bytes.span, at: .zero)
        do {
            while let event = try socket.next() {
                switch event {
                case .message(let message, _): try shadow.receive(message.span)
                case .closed: isOver = true
                case .pong: break
                }
            }
        } catch {
            if !isGarbled { flaw = "our peer breaks the rules: \(error)" }
            isOver = true
        }
        while let event = shadow.next() {
            switch event {
            case .request(let request): if !request.isNoReply { asked.append(request) }
            case .reply(let number, let reply): answers[number.rawValue] = reply
            case .replyPiece, .bodyFailed: break
            }
        }
        flush()
    }
}

/// The flags of a frame, as far as a performer needs them.
private enum Frame {
    static let request: UInt8 = 0
    static let reply: UInt8 = 1
    static let errorReply: UInt8 = 2
    static let noReply: UInt8 = 0x20
    static let moreComing: UInt8 = 0x40

    static func isAcknowledgement(_ frame: [UInt8]) -> Bool {
        guard let end = frame.firstIndex(where: { $0 < 0x80 }), end + 1 < frame.count else {
            return false
        }
        return [4, 5].contains(frame[end + 1] & 7)
    }
}
