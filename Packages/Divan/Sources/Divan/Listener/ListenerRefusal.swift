import DivanListener
import DivanTransport
public import Foundation

/// A request that a listener refused, and what is known about its sender.
///
/// An addition to the official API.
public struct ListenerRefusal: Sendable {
    /// The HTTP status of the answer: 401 wrong or missing credentials, 403 not allowed, 404 no such database, 429 too
    /// many attempts or connections, 503 too many connections of others, 400 not a replication request.
    public let status: Int
    /// The client's IP address, or that of a proxy in front of the listener.
    public let address: String
    /// The user name that the client claims, unverified; `nil` if it gives none.
    public let claimedUser: String?
    /// Whether the client presented credentials; one that does not is only asking what is required.
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
