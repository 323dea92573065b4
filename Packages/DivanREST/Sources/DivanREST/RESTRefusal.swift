/// A request that was let in by nobody, and what is known of who made it.
public struct RESTRefusal: Equatable, Sendable {
    /// The status of the answer: 401 wrong or missing credentials, 429 too many attempts.
    public let status: Int
    /// The client's IP address, or that of a proxy in front.
    public let address: String
    /// The user that the client says it is, which nobody has proven; `nil` when it names none.
    public let claimedUser: String?
    /// Whether the client showed credentials; one that does not only asks what is needed.
    public let showedCredentials: Bool
    /// The database that it asked for, if that is served.
    public let database: String?
}
