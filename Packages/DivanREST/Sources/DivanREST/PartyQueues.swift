import DivanAuth
import DivanHTTP
import DivanJSON
import DivanTransport
import Synchronization

/// Gives each party, a user or otherwise an address, its share of the server's threads, so that heavy use by one leaves
/// some to the others.
final class PartyQueues: Sendable {
    private enum Party: Hashable {
        case user(ExactText)
        case address(String)
    }

    /// The party, and whether for large bodies.
    private struct Key: Hashable {
        let party: Party
        let isLarge: Bool
    }

    /// A queue, for as long as it is in use.
    private struct Entry {
        weak var queue: WorkQueue?
    }

    /// Size in bytes above which only few bodies are processed at a time.
    private static let largeByteCount = 1 << 20
    /// Runs all work.
    let whole: WorkQueue
    /// Processes large bodies, two at a time and one per party: parsed JSON takes up to forty times the bytes of its
    /// text.
    let large: WorkQueue
    private let limits: RESTLimits
    private let entries = Mutex<[Key: Entry]>([:])

    init(_ limits: RESTLimits) {
        self.limits = limits
        whole = WorkQueue(label: "divan.rest", limit: limits.workerCount)
        large = WorkQueue(partOf: whole, limit: 2)
    }

    /// The queue for a user, or for an unauthenticated client, for a request with a body of this size.
    func queue(
        of user: String? = nil,
        at address: SocketAddress,
        forBodyOf byteCount: Int = 0
    ) -> WorkQueue {
        let isLarge = byteCount > Self.largeByteCount
        if let user { return queue(of: Key(party: .user(ExactText(user)), isLarge: isLarge)) }
        guard !limits.logins.sparesLoopback || !address.isLoopback else {
            return isLarge ? large : whole
        }
        let party = Party.address(LoginTable.owner(of: address.host))
        return queue(of: Key(party: party, isLarge: isLarge))
    }

    private func queue(of key: Key) -> WorkQueue {
        entries.withLock { entries in
            if let queue = entries[key]?.queue { return queue }
            // Cleaned up when new ones arrive: each connection uses three at most.
            if entries.count >= 3 * limits.http.connectionCount {
                entries = entries.filter { $0.value.queue != nil }
            }
            let queue =
                key.isLarge
                ? WorkQueue(partOf: large, limit: 1)
                : WorkQueue(partOf: whole, limit: limits.partyWorkerCount)
            entries[key] = Entry(queue: queue)
            return queue
        }
    }
}
