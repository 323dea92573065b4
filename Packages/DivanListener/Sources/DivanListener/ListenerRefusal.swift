public import DivanTransport

/// A request that a listener refused, and what is known of who made it.
public struct ListenerRefusal: Sendable {
    /// The HTTP status of the answer: 400, 401, 403, 404 or 429.
    public let status: Int
    /// The client's address and port, or those of a proxy in front.
    public let address: SocketAddress
    /// The user that the client says it is, which nobody has proven; `nil` when it names none.
    public let claimedUser: String?
    /// Whether the client showed credentials; one that does not only asks what is needed.
    public let showedCredentials: Bool
}
