/// An event of a connection.
public enum BLIPEvent: Sendable {
    /// A request of the peer; answer with `reply(to:with:)`, at any time, unless `isNoReply`.
    case request(BLIPIncomingRequest)
    /// The peer's reply.
    ///
    /// With `streamsReply`, the body is empty and follows in pieces, unless the reply is an error, which is always
    /// complete.
    case reply(BLIPRequestNumber, BLIPIncomingReply)
    /// The next bytes of a streamed reply, possibly none, until the final piece.
    case replyPiece(BLIPRequestNumber, [UInt8], isFinal: Bool)
    /// A body source failed while its message was being sent; see `BLIPBodySource`.
    case bodyFailed(BLIPBodyFailure)
}

/// A complete request of the peer.
public struct BLIPIncomingRequest: Sendable {
    /// Identifies the request in `reply(to:with:)`.
    public let id: BLIPRequestID
    /// The properties, including `Profile`.
    public let properties: BLIPProperties
    /// The body.
    public let body: [UInt8]
    /// Whether the peer expects no reply; any reply is discarded.
    public let isNoReply: Bool
    /// Whether the request and its reply are urgent.
    public let isUrgent: Bool

    /// The profile of the request; empty if missing.
    public let profile: String

    init(
        id: BLIPRequestID,
        properties: BLIPProperties,
        body: [UInt8],
        isNoReply: Bool,
        isUrgent: Bool
    ) {
        self.id = id
        self.properties = properties
        self.body = body
        self.isNoReply = isNoReply
        self.isUrgent = isUrgent
        profile = properties["Profile"] ?? ""
    }
}

/// A reply of the peer.
public struct BLIPIncomingReply: Sendable {
    /// The properties.
    public let properties: BLIPProperties
    /// The body; for an error, a message for people.
    public let body: [UInt8]
    /// The failure that the peer reports, or `nil`.
    public let error: BLIPRemoteError?
}

/// A failure that a peer reported for one request; the connection continues.
///
/// Source: `blip.md` §2 (error replies).
public struct BLIPRemoteError: Error, Equatable, Sendable {
    /// The domain of the code, such as `"HTTP"`; `"BLIP"` if missing.
    public let domain: String
    /// The code; 501 if missing or not a number.
    public let code: Int
    /// The peer's message, truncated to 4,096 bytes.
    public let message: String

    /// Creates an error as a peer would report it.
    public init(domain: String, code: Int, message: String) {
        self.domain = domain
        self.code = code
        self.message = message
    }

    init(properties: BLIPProperties, body: [UInt8]) {
        domain = properties["Error-Domain"] ?? "BLIP"
        let number = properties["Error-Code"].flatMap { Int32($0) } ?? 0
        code = number == 0 ? 501 : Int(number)
        message = String(decoding: body.prefix(4096), as: UTF8.self)
    }
}

extension BLIPRemoteError: CustomStringConvertible {
    /// Domain, code and the peer's message.
    public var description: String { "\(domain)/\(code) \(message)" }
}

/// An outgoing message whose body source threw an error.
public struct BLIPBodyFailure: Error, Sendable {
    /// The number of the request on the wire, or, for a reply, the number of the peer's request.
    public let number: UInt64
    /// Whether the message is a reply.
    public let isReply: Bool
    /// The error that the source threw.
    public let cause: any Error
}
