/// The number of a request that we sent and that wants a reply: 1, 2, 3 … in order of sending.
public struct BLIPRequestNumber: Hashable, Comparable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt64

    /// In order of sending.
    public static func < (left: BLIPRequestNumber, right: BLIPRequestNumber) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A request of the peer, for `BLIPConnection.reply(to:with:)`; valid on its connection only.
public struct BLIPRequestID: Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt64
}

/// A body that is read while it is sent, such as a blob.
public protocol BLIPBodySource: AnyObject {
    /// Returns the next bytes, at most about `count`; none at the end, and from then on.
    ///
    /// Called from within `BLIPConnection.nextFrame(into:)`, so it should not wait.
    ///
    /// - Throws: Anything. A reply that has not begun becomes an error reply; any other message
    ///   ends short, and `BLIPEvent.bodyFailed` says so.
    func read(upTo count: Int) throws -> [UInt8]
}

/// What follows the properties of a message.
public enum BLIPBody {
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes that are read when their frame is made.
    case source(any BLIPBodySource)

    /// No bytes.
    public static var empty: BLIPBody { .bytes([]) }
}

/// A request to send.
public struct BLIPRequest {
    /// The properties; `Profile` names the kind of request.
    public var properties: BLIPProperties
    /// The body.
    public var body: BLIPBody
    /// Whether it may overtake others; its reply may too.
    public var isUrgent: Bool
    /// Whether no reply is wanted, not even an error.
    public var isNoReply: Bool
    /// Whether its frames are compressed.
    public var isCompressed: Bool
    /// Whether the reply's body is delivered in pieces as it comes, unbounded in all.
    public var streamsReply: Bool

    /// Creates a request whose `Profile` property is `profile`, before the other properties.
    public init(
        profile: String,
        properties: BLIPProperties = [:],
        body: BLIPBody = .empty,
        isUrgent: Bool = false,
        isNoReply: Bool = false,
        isCompressed: Bool = false,
        streamsReply: Bool = false
    ) {
        var all: BLIPProperties = ["Profile": profile]
        all.append(contentsOf: properties)
        self.init(properties: all, body: body, isUrgent: isUrgent, isNoReply: isNoReply)
        self.isCompressed = isCompressed
        self.streamsReply = streamsReply
    }

    /// Creates a request from properties that hold `Profile` already.
    public init(
        properties: BLIPProperties,
        body: BLIPBody = .empty,
        isUrgent: Bool = false,
        isNoReply: Bool = false,
        isCompressed: Bool = false,
        streamsReply: Bool = false
    ) {
        self.properties = properties
        self.body = body
        self.isUrgent = isUrgent
        self.isNoReply = isNoReply
        self.isCompressed = isCompressed
        self.streamsReply = streamsReply
    }
}

/// A reply to send.
public struct BLIPReply {
    /// The properties.
    public var properties: BLIPProperties
    /// The body; of an error, a text for people.
    public var body: BLIPBody
    /// Whether the request failed.
    public var isError: Bool
    /// Whether its frames are compressed.
    public var isCompressed: Bool

    /// Creates a reply that is no error.
    public init(
        properties: BLIPProperties = [:],
        body: BLIPBody = .empty,
        isCompressed: Bool = false
    ) {
        self.properties = properties
        self.body = body
        isError = false
        self.isCompressed = isCompressed
    }

    /// No properties and no body: the usual "done".
    public static var empty: BLIPReply { BLIPReply() }

    /// What a peer gets for a request that nobody serves; Couchbase Lite compares the text.
    public static var noHandler: BLIPReply {
        error(domain: "BLIP", code: 404, message: "no handler for message")
    }

    /// Returns an error reply; `domain` must not be empty and `code` not 0, or peers ignore them.
    public static func error(domain: String, code: Int, message: String = "") -> BLIPReply {
        var reply = BLIPReply(
            properties: ["Error-Domain": domain, "Error-Code": String(code)],
            body: .bytes(Array(message.utf8))
        )
        reply.isError = true
        return reply
    }
}
