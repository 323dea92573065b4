import DivanMesh
import DivanReplicator
import DivanTransport
import Synchronization

/// What happens on links of both directions.
extension MeshDriver {
    /// Runs work after all earlier events.
    func onLoop(_ work: @escaping @Sendable () -> Void) { loop.execute(work) }

    func note(_ peer: MeshPeerID, _ change: (inout PeerRecords.Record) -> Void) {
        state.withLock { $0.records.update(peer, change) }
    }

    func received(_ bytes: [UInt8], on connection: MeshConnectionID) {
        if connections[connection] != nil { handle(.received(connection, bytes)) }
    }

    func send(_ bytes: [UInt8], on connection: MeshConnectionID) {
        if let link = connections[connection]?.link {
            link.sendGossip(bytes)
        } else {
            // A caller that is being accepted: a message in two seconds, for at most twenty.
            connections[connection]?.waitingGossip.append(bytes)
        }
    }

    func close(_ connection: MeshConnectionID, _ end: LinkEnd) {
        let closed = connections.removeValue(forKey: connection)
        if let session = sessions[connection] {
            session.end(end)
        } else {
            closed?.link?.abort(end)
        }
    }

    /// The replication on a link has another status; after `stopped` it is gone.
    func replicated(_ connection: MeshConnectionID, _ peer: MeshPeerID, _ status: SyncStatus) {
        let hasEnded = status.activity == .stopped
        if hasEnded { sessions[connection] = nil }
        // The other connection of a pair may live on.
        let isCurrent = !hasEnded || !connections.contains { $0 != connection && $1.peer == peer }
        var shown = status
        if hasEnded { shown.error = status.error.flatMap { $0.isFailure ? $0 : nil } }
        if isCurrent {
            note(peer) { [shown] in $0.replication = shown }
            report(.replication(peer, isOutgoing: connection.isOutgoing, shown))
        }
        if status.activity == .idle, connections[connection] != nil { handle(.idle(connection)) }
        if hasEnded { endIfStopped() }
    }
}

extension SyncError {
    /// Whether it is more than the end of a link by agreement.
    fileprivate var isFailure: Bool {
        guard wireCode.domain == .webSocket else { return true }
        return UInt16(exactly: wireCode.number).flatMap { LinkEnd(rawValue: $0) } == nil
    }
}
