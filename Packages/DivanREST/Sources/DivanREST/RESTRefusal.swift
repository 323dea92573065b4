/// A request that failed authentication, and what is known about the client.
public struct RESTRefusal: Equatable, Sendable {
    /// The status of the answer: 401 wrong or missing credentials, 429 too many attempts.
    public let status: Int
    /// The client's IP address, or that of a proxy in front.
    public let address: String
    /// The user name that the client claims, unverified; `nil` if it names none.
    public let claimedUser: String?
    /// Whether the client sent credentials; one without only asks what is required.
    public let showedCredentials: Bool
    /// The requested database, if it is served.
    public let database: String?
}
