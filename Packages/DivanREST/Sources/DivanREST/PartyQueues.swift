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

    /// A queue, as long as somebody works with it.
    private struct Entry {
        weak var queue: WorkQueue?
    }

    /// Bytes of a body from which on few are worked on at a time.
    private static let largeByteCount = 1 << 20
    /// Does the work of all.
    let whole: WorkQueue
    /// Takes large bodies apart, two at a time: a tree takes up to forty times the bytes of its text.
    let large: WorkQueue
    private let limits: RESTLimits
    private let entries = Mutex<[Party: Entry]>([:])

    init(_ limits: RESTLimits) {
        self.limits = limits
        whole = WorkQueue(label: "divan.rest", limit: limits.workerCount)
        large = WorkQueue(partOf: whole, limit: 2)
    }

    /// The queue of a user, or of whoever has not shown to be one.
    func queue(of user: String? = nil, at address: SocketAddress) -> WorkQueue {
        if let user { return queue(of: .user(ExactText(user))) }
        guard !limits.logins.sparesLoopback || !address.isLoopback else { return whole }
        return queue(of: .address(LoginTable.owner(of: address.host)))
    }

    /// Where a request with a body is worked on, of a party that has this queue.
    func queue(_ own: WorkQueue, forBodyOf byteCount: Int) -> WorkQueue {
        byteCount > Self.largeByteCount ? large : own
    }

    private func queue(of party: Party) -> WorkQueue {
        entries.withLock { entries in
            if let queue = entries[party]?.queue { return queue }
            // Kept small by those who come: each connection works with two at most.
            if entries.count >= 2 * limits.http.connectionCount {
                entries = entries.filter { $0.value.queue != nil }
            }
            let queue = WorkQueue(partOf: whole, limit: limits.partyWorkerCount)
            entries[party] = Entry(queue: queue)
            return queue
        }
    }
}
