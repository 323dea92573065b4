import DivanAuth
import DivanHTTP
import DivanJSON
import DivanTransport
import Synchronization

/// Gives each party, a user or else an address, its part of the server's threads, so that whoever asks
/// for much leaves some to the others.
final class PartyQueues: Sendable {
    private enum Party: Hashable {
        case user(ExactText)
        case address(String)
    }

    /// Whose work, and whether with large bodies.
    private struct Key: Hashable {
        let party: Party
        let isLarge: Bool
    }

    /// A queue, as long as somebody works with it.
    private struct Entry {
        weak var queue: WorkQueue?
    }

    /// Bytes of a body from which on few are worked on at a time.
    private static let largeByteCount = 1 << 20
    /// Does the work of all.
    let whole: WorkQueue
    /// Works on large bodies, two at a time and one of a party: a tree takes up to forty times the bytes of its
    /// text.
    let large: WorkQueue
    private let limits: RESTLimits
    private let entries = Mutex<[Key: Entry]>([:])

    init(_ limits: RESTLimits) {
        self.limits = limits
        whole = WorkQueue(label: "divan.rest", limit: limits.workerCount)
        large = WorkQueue(partOf: whole, limit: 2)
    }

    /// The queue of a user, or of whoever has not shown to be one, for a request with so large a body.
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
            // Kept small by those who come: each connection works with three at most.
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
