/// A request that failed authentication, with information about the client.
public struct RESTRefusal: Equatable, Sendable {
    /// The HTTP status: 401 wrong or missing credentials, 429 too many attempts.
    public let status: Int
    /// The client's IP address, or the address of a proxy in front of the server.
    public let address: String
    /// The user name in the request, unverified; `nil` if there is none.
    public let claimedUser: String?
    /// Whether the request contained credentials; clients usually send their first request without.
    public let showedCredentials: Bool
    /// The requested database, if it is served.
    public let database: String?
}
