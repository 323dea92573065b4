/// The changes that gossip reports, the oldest first.
///
/// Of a peer only the last change counts. Earlier ones are skipped by the reader, and removed from time to time, so
/// that the log is never much longer than the list of peers.
struct ChangeLog: Sendable {
    /// The number of the last change.
    private(set) var lastNumber: UInt64 = 0
    private var entries: [(number: UInt64, peer: MeshPeerID)] = []

    /// Adds a change of a peer.
    mutating func append(_ peer: MeshPeerID) {
        lastNumber += 1
        entries.append((lastNumber, peer))
    }

    /// Whether so many entries are too many for a number of peers.
    func isLong(for peerCount: Int) -> Bool { entries.count > 2 * peerCount + 64 }

    /// Keeps the entries for which the condition holds.
    mutating func keep(where isLast: (_ number: UInt64, MeshPeerID) -> Bool) {
        entries.removeAll { !isLast($0.number, $0.peer) }
    }

    /// The entries after a number, the last one first.
    func entries(after number: UInt64) -> some Sequence<(number: UInt64, peer: MeshPeerID)> {
        entries.reversed().prefix { $0.number > number }
    }
}
