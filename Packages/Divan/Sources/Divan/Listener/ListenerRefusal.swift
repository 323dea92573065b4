import DivanListener
import DivanTransport
public import Foundation

/// A request that a listener refused, and what is known of who made it.
///
/// An addition to the official API.
public struct ListenerRefusal: Sendable {
    /// The HTTP status of the answer: 401 wrong or missing credentials, 403 not allowed, 404 no such
    /// database, 429 too many attempts or connections, 400 no replication request.
    public let status: Int
    /// The client's IP address, or that of a proxy in front.
    public let address: String
    /// The user that the client says it is, which nobody has proven; `nil` when it names none.
    public let claimedUser: String?
    /// Whether the client showed credentials; one that does not only asks what is needed.
    public let showedCredentials: Bool
    /// When it was refused.
    public let date = Date()

    init(_ refusal: DivanListener.ListenerRefusal) {
        status = refusal.status
        address = refusal.address.host
        claimedUser = refusal.claimedUser
        showedCredentials = refusal.showedCredentials
    }
}
