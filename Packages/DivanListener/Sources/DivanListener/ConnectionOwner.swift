import DivanAuth
import DivanPlatform
import DivanReplicator
import DivanTransport

/// For whom a connection counts when connections are scarce: a user, or else an address.
///
/// With `sparesLoopback`, all clients of this machine without a name are one party.
enum ConnectionOwner: Hashable {
    case user([UInt8])
    case address(String)
    case thisMachine

    init(_ client: ListenerClient, _ limits: ListenerLimits) {
        if let user = client.user {
            self = .user(Array(user.utf8))
        } else if limits.logins.sparesLoopback, client.address.isLoopback {
            self = .thisMachine
        } else {
            self = .address(LoginTable.owner(of: client.address.host))
        }
    }
}

extension PeerConfiguration.Role {
    /// Counts a connection for its party: a user, or else an address.
    ///
    /// Behind a proxy on this machine every client has the same address, so each connection counts for
    /// itself there.
    mutating func count(
        for user: String?,
        at address: SocketAddress,
        _ budget: ConnectionBudget,
        _ limits: ListenerLimits
    ) {
        guard case .passive(var options) = self else { return }
        let owner = user.map { "user \($0)" } ?? "address \(LoginTable.owner(of: address.host))"
        let standsForMany = user == nil && limits.logins.sparesLoopback && address.isLoopback
        options.budget = budget
        options.party = standsForMany ? "connection \(address)" : owner
        options.checkpointOwner = owner
        self = .passive(options)
    }
}
