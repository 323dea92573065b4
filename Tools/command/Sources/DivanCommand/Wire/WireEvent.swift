import DivanBLIP
import DivanWebSocket

/// One of the two ends of a conversation.
enum WireEnd: String, Sendable {
    case client
    case server

    var other: WireEnd { self == .client ? .server : .client }

    /// The end's role in WebSocket.
    var role: Role { self == .client ? .client : .server }
}

/// Something that one end sent.
struct WireEvent: Sendable {
    /// The end that sent it.
    let sender: WireEnd
    /// Seconds since the recording began; `nil` if unknown.
    let time: Double?
    let content: Content

    enum Content: Sendable {
        /// The client's half of the handshake; secrets are blanked.
        case asked(method: String, target: String, headers: HTTPHeaders)
        /// The server accepted.
        case accepted(subprotocol: String?, headers: HTTPHeaders)
        /// The server refused, or redirected.
        case refused(status: Int, explanation: String, headers: HTTPHeaders)
        case message(WireMessage)
        case frame(BLIPFrameOutline)
        case ping
        case pong
        case closed(code: UInt16?, reason: String)
        /// The bytes end here.
        case ended
        /// From here on this end cannot be decoded.
        case problem(String)
    }
}

/// A BLIP message, complete.
struct WireMessage: Sendable {
    enum Kind: String, Sendable {
        case request
        case reply
        case error
    }

    let kind: Kind
    let number: UInt64
    let properties: BLIPProperties
    /// The beginning of the body.
    let bodyStart: [UInt8]
    /// Bytes of the whole body, decompressed.
    let bodyByteCount: Int
    let trace: FrameTrace
    /// The request that a reply belongs to.
    var question: Question?

    /// What a reply answers.
    struct Question: Sendable {
        let profile: String
        /// Seconds from the request's last frame to the reply's last.
        let delay: Double?
    }
}

/// The totals of one message's frames.
struct FrameTrace: Sendable {
    var frameCount = 0
    /// Bytes on the wire, without WebSocket's framing.
    var byteCount = 0
    var isCompressed = false
    var isUrgent = false
    var isNoReply = false

    mutating func add(_ frame: BLIPFrameOutline) {
        frameCount += 1
        byteCount += frame.byteCount
        isCompressed = isCompressed || frame.isCompressed
        isUrgent = isUrgent || frame.isUrgent
        isNoReply = isNoReply || frame.isNoReply
    }
}
