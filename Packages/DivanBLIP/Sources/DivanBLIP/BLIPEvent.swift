/// What a connection reports to its owner.
public enum BLIPEvent: Sendable {
    /// A request of the peer; answer with `reply(to:with:)`, at any time, unless `isNoReply`.
    case request(BLIPIncomingRequest)
    /// The peer's reply. With `streamsReply` the body is empty here and follows in pieces, unless the reply is an
    /// error, which always arrives whole.
    case reply(BLIPRequestNumber, BLIPIncomingReply)
    /// The next bytes of a streamed reply, possibly none; nothing follows the final piece.
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
    /// Whether the peer wants no reply; one that is given is dropped.
    public let isNoReply: Bool
    /// Whether the reply will be urgent, too.
    public let isUrgent: Bool

    /// The kind of request; empty if the peer named none.
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
    /// The body; for an error, a text for people.
    public let body: [UInt8]
    /// The failure that the peer reports, or `nil`.
    public let error: BLIPRemoteError?
}

/// A failure that a peer reported for one request; the connection continues.
///
/// Source: `blip.md` §2 (error replies).
public struct BLIPRemoteError: Error, Equatable, Sendable {
    /// The domain of the code, such as `"HTTP"`; `"BLIP"` if the peer named none.
    public let domain: String
    /// The code; 501 if the peer gave none, or one that is not a number.
    public let code: Int
    /// The peer's message, at most 4,096 bytes of it.
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

/// A message of ours whose body source threw.
public struct BLIPBodyFailure: Error, Sendable {
    /// The request's number on the wire, ours or, for a reply, the peer's.
    public let number: UInt64
    /// Whether the message is a reply.
    public let isReply: Bool
    /// The error that the source threw.
    public let cause: any Error
}
