/// A violation of the message rules by a peer.
///
/// It ends the connection: close the WebSocket with `closeCode`.
public struct BLIPError: Error, Equatable, Sendable {
    /// The violated rule and the values.
    public enum Reason: Error, Equatable, Sendable {
        /// The frame ends inside its number, flags or checksum.
        case truncatedFrame(byteCount: Int)
        /// A variable-length number has more than 64 bits.
        case varintTooLong
        /// The frame exceeds `Limits.frameByteCount`; both in bytes.
        case frameTooLarge(byteCount: Int, limit: Int)
        /// The uncompressed bytes so far do not have the checksum that the peer sent.
        case checksum(received: UInt32, computed: UInt32)
        /// A compressed payload cannot be decompressed; the message of the codec.
        case compression(String)
        /// A message exceeds `Limits.messageByteCount`, in bytes.
        case messageTooLarge(limit: Int)
        /// Incomplete messages together exceed `Limits.openByteCount`, in bytes.
        case openBytes(limit: Int)
        /// More incomplete requests than `Limits.openMessageCount`.
        case openMessages(limit: Int)
        /// More requests are unanswered than `Limits.unansweredRequestCount`.
        case unansweredRequests(limit: Int)
        /// Replies that the peer does not read exceed `Limits.queuedReplyByteCount`, in bytes.
        case queuedReplies(limit: Int)
        /// Properties exceed `Limits.propertiesByteCount`; both in bytes.
        case propertiesTooLarge(byteCount: UInt64, limit: Int)
        /// The message ends before its properties do.
        case truncatedProperties
        /// Properties that are not pairs, do not end with NUL, or are not UTF-8.
        case malformedProperties
        /// A request's number is neither in progress nor the next one.
        case requestNumber(UInt64, expected: UInt64)
        /// A reply's number is above every request that was sent.
        case replyNumber(UInt64)
    }

    /// What went wrong.
    public let reason: Reason
    /// The number of frames received before this one.
    public let frameIndex: Int

    /// Whether bytes were changed in transit: another connection may deliver them intact.
    public var isDamage: Bool {
        switch reason {
        case .checksum, .compression: true
        default: false
        }
    }

    /// The WebSocket status to close with: 1002 (protocol), 1008 (too many) or 1009 (too large).
    public var closeCode: UInt16 {
        switch reason {
        case .frameTooLarge, .messageTooLarge, .openBytes: 1009
        case .openMessages, .unansweredRequests, .queuedReplies: 1008
        default: 1002
        }
    }
}

extension BLIPError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        let (problem, remedy) = reason.explanation
        return "BLIP frame \(frameIndex): \(problem); \(remedy)"
    }
}

extension BLIPError.Reason {
    fileprivate var explanation: (problem: String, remedy: String) {
        switch self {
        case .truncatedFrame(let byteCount):
            ("the frame is truncated after \(byteCount) bytes", Self.checkPath)
        case .varintTooLong:
            ("a number has more than 64 bits", Self.checkPath)
        case .checksum(let received, let computed):
            (
                "checksum mismatch (received \(String(received, radix: 16)), "
                    + "computed \(String(computed, radix: 16)))",
                "reconnect; if it happens again, " + Self.checkPath
            )
        case .compression(let text): (text, "reconnect")
        case .truncatedProperties: ("the message ends inside its properties", Self.checkPath)
        case .malformedProperties:
            ("the properties are not pairs of NUL-terminated UTF-8 strings", Self.checkPath)
        case .requestNumber(let number, let expected):
            ("received request \(number), expected \(expected)", Self.checkPath)
        case .replyNumber(let number):
            ("received a reply to request \(number), which was never sent", Self.checkPath)
        default: limitExplanation
        }
    }

    private var limitExplanation: (problem: String, remedy: String) {
        switch self {
        case .frameTooLarge(let byteCount, let limit):
            ("\(byteCount) bytes exceed the limit of \(limit) bytes", Self.raise("frameByteCount"))
        case .messageTooLarge(let limit):
            ("the message exceeds \(limit) bytes", Self.raise("messageByteCount"))
        case .openBytes(let limit):
            ("incomplete messages exceed \(limit) bytes", Self.raise("openByteCount"))
        case .openMessages(let limit):
            ("more than \(limit) incomplete requests", Self.raise("openMessageCount"))
        case .unansweredRequests(let limit):
            ("more than \(limit) unanswered requests", Self.raise("unansweredRequestCount"))
        case .queuedReplies(let limit):
            (
                "more than \(limit) bytes of replies are waiting to be read by the peer",
                "read the replies, or raise BLIPConnection.Limits.queuedReplyByteCount"
            )
        case .propertiesTooLarge(let byteCount, let limit):
            (
                "properties of \(byteCount) bytes exceed the limit of \(limit) bytes",
                Self.raise("propertiesByteCount")
            )
        default: ("broken", Self.checkPath)
        }
    }

    private static let checkPath = "check the peer's software and any proxy in between"

    private static func raise(_ limit: String) -> String {
        "raise BLIPConnection.Limits.\(limit) or send less"
    }
}
