/// A request to send.
public struct BLIPRequest {
    /// The properties; `Profile` is the kind of request.
    public var properties: BLIPProperties
    /// The body.
    public var body: BLIPBody
    /// Whether the request and its reply are urgent, and can overtake others.
    public var isUrgent: Bool
    /// Whether no reply is expected, not even an error.
    public var isNoReply: Bool
    /// Whether its frames are compressed.
    public var isCompressed: Bool
    /// Whether the body of the reply is delivered in pieces as it arrives, without a size limit.
    public var streamsReply: Bool

    /// Creates a request whose `Profile` property is `profile`, before the other properties.
    public init(
        profile: String,
        properties: BLIPProperties = BLIPProperties(),
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

    /// Creates a request from properties that already contain `Profile`.
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

/// The number of a sent request that expects a reply: 1, 2, 3 … in sending order.
public struct BLIPRequestNumber: Hashable, Comparable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt64

    /// In sending order.
    public static func < (left: BLIPRequestNumber, right: BLIPRequestNumber) -> Bool {
        left.rawValue < right.rawValue
    }
}
