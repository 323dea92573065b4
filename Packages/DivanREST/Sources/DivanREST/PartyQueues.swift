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

    /// Does the work of all.
    let whole: WorkQueue
    private let limits: RESTLimits
    private let entries = Mutex<[Party: Entry]>([:])

    init(_ limits: RESTLimits) {
        self.limits = limits
        whole = WorkQueue(label: "divan.rest", limit: limits.workerCount)
    }

    /// The queue of a user, or of whoever has not shown to be one.
    func queue(of user: String? = nil, at address: SocketAddress) -> WorkQueue {
        if let user { return queue(of: .user(ExactText(user))) }
        guard !limits.logins.sparesLoopback || !address.isLoopback else { return whole }
        return queue(of: .address(LoginTable.owner(of: address.host)))
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
