import DivanAuth
import DivanReplicator
import DivanTransport

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
