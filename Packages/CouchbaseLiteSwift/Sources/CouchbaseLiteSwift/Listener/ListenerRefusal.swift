import DivanListener
import DivanPlatform
import DivanTransport
public import Foundation

/// A request that a listener refused, with information about its sender.
///
/// An addition to the official API.
public struct ListenerRefusal: Sendable {
    /// The HTTP status of the response: 400 not a replication request, 401 wrong or missing credentials, 403 not
    /// allowed, 404 database not found, 429 too many attempts or connections from the address, 503 too many
    /// connections.
    public let status: Int
    /// The client's IP address, or the address of a proxy in front of the listener.
    public let address: String
    /// Why, in one line of the listener's own words, such as the protocol versions that the database supports.
    public let explanation: String
    /// The user name in the request, unverified; `nil` if there is none.
    public let claimedUser: String?
    /// Whether the request contained credentials; clients usually send their first request without.
    public let showedCredentials: Bool
    /// When the request was refused.
    public let date = Date()

    init(_ refusal: DivanListener.ListenerRefusal) {
        status = refusal.status
        address = refusal.address.host
        explanation = refusal.explanation
        claimedUser = refusal.claimedUser
        showedCredentials = refusal.showedCredentials
    }
}
