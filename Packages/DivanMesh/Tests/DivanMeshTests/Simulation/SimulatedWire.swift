import DivanMesh

/// A connection between two peers, or an attempt at one, and the replication on it.
final class SimulatedWire {
    /// One of the two ends.
    struct End {
        let address: MeshAddress
        /// The connection's ID at this end; `nil` before the call arrives, and after this end has closed it.
        var connection: MeshConnectionID?
        /// What the other end is known to have.
        var known = DocumentSet()
        /// Whether documents are on the way from this end.
        var isSending = false
        /// A list from this end that the other one has not answered, and when it must.
        var offer: (documents: DocumentSet, deadline: Duration)?
    }

    /// The caller's end, and the callee's.
    var ends: [End]
    /// Whether the checkpoints were exchanged, and documents can be sent.
    var isReady = false
    /// Whether replication was idle once.
    var hasBeenIdle = false

    init(_ caller: MeshAddress, _ callee: MeshAddress, _ connection: MeshConnectionID) {
        ends = [End(address: caller, connection: connection), End(address: callee)]
    }

    /// Whether neither end has closed it.
    var isOpen: Bool { ends.allSatisfy { $0.connection != nil } }

    /// The number of the end that belongs to a peer.
    func side(of owner: MeshAddress, _ connection: MeshConnectionID) -> Int {
        ends[0].address == owner && ends[0].connection == connection ? 0 : 1
    }
}
