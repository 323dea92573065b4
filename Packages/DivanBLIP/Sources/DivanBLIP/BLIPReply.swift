/// A reply to send.
public struct BLIPReply {
    /// The properties.
    public var properties: BLIPProperties
    /// The body; for an error, a message for people.
    public var body: BLIPBody
    /// Whether the request failed.
    public var isError: Bool
    /// Whether its frames are compressed.
    public var isCompressed: Bool

    /// Creates a reply that is not an error.
    public init(
        properties: BLIPProperties = BLIPProperties(),
        body: BLIPBody = .empty,
        isCompressed: Bool = false
    ) {
        self.properties = properties
        self.body = body
        isError = false
        self.isCompressed = isCompressed
    }

    /// A reply without properties and body, which reports success.
    public static var empty: BLIPReply { BLIPReply() }

    /// The reply to a request without a handler; Couchbase Lite compares the text.
    public static var noHandler: BLIPReply {
        error(domain: "BLIP", code: 404, message: "no handler for message")
    }

    /// Returns an error reply; if `domain` is empty or `code` is 0, peers ignore them.
    public static func error(domain: String, code: Int, message: String = "") -> BLIPReply {
        var reply = BLIPReply(
            properties: ["Error-Domain": domain, "Error-Code": String(code)],
            body: .bytes(Array(message.utf8))
        )
        reply.isError = true
        return reply
    }
}

/// A request of the peer, for `BLIPConnection.reply(to:with:)`; valid only on its connection.
public struct BLIPRequestID: Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt64
}
