public import DivanTransport

/// A request that a listener refused, and what is known about the client.
public struct ListenerRefusal: Sendable {
    /// The HTTP status of the answer: 400, 401, 403, 404, 421, 429 or 503.
    public let status: Int
    /// The client's address and port, or those of a proxy.
    public let address: SocketAddress
    /// The user that the client claims to be, unverified; `nil` when it names none.
    public let claimedUser: String?
    /// Whether the client presented credentials; one without only asks what is needed.
    public let showedCredentials: Bool
}
