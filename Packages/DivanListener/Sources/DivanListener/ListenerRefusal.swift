public import DivanTransport

/// A request that a listener refused, with information about the client.
public struct ListenerRefusal: Sendable {
    /// The HTTP status of the answer: 400, 401, 403, 404, 421, 429 or 503.
    public let status: Int
    /// The client's address and port, or those of a proxy.
    public let address: SocketAddress
    /// Why, in words of the listener only; the client is told the same.
    public let explanation: String
    /// The user name in the request, unverified; `nil` if there is none.
    public let claimedUser: String?
    /// Whether the request contained credentials; clients usually send their first request without.
    public let showedCredentials: Bool
}
