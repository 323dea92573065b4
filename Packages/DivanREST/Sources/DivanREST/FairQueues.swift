import DivanAuth
import DivanHTTP
import DivanJSON
import DivanPlatform
import DivanTransport
import Synchronization

/// Gives each party, a user or otherwise an address, its share of the server's threads, so that heavy use by one leaves
/// some to the others.
final class FairQueues: Sendable {
    private enum Party: Hashable {
        case user(ExactText)
        case address(String)
    }

    /// What is processed in a line of its own.
    enum Kind: Hashable {
        /// Requests that take little time.
        case ordinary
        /// Queries, which may take all the time that they are allowed.
        case query
        /// Requests with large bodies.
        case large
    }

    /// The party, and the kind of its work.
    private struct Key: Hashable {
        let party: Party
        let kind: Kind
    }

    /// A queue, for as long as it is in use.
    private struct Entry {
        weak var queue: WorkQueue?
    }

    /// Size in bytes above which only few bodies are processed at a time.
    static let largeByteCount = 1 << 20
    /// Runs all work.
    let whole: WorkQueue
    /// Processes large bodies, two at a time and one per party: parsed JSON takes up to forty times the bytes of its
    /// text.
    let large: WorkQueue
    /// Runs queries, which leave some threads to requests of other kinds.
    let queries: WorkQueue
    private let limits: RESTLimits
    private let entries = Mutex<[Key: Entry]>([:])

    init(_ limits: RESTLimits) {
        self.limits = limits
        whole = WorkQueue(label: "divan.rest", limit: limits.workerCount)
        large = WorkQueue(partOf: whole, limit: 2)
        queries = WorkQueue(partOf: whole, limit: limits.queryWorkerCount)
    }

    /// The queue for a user, or for an unauthenticated client, for a request with a body of this size.
    func queue(
        of user: String? = nil,
        at address: SocketAddress,
        isQuery: Bool = false,
        forBodyOf byteCount: Int = 0
    ) -> WorkQueue {
        let kind: Kind = byteCount > Self.largeByteCount ? .large : isQuery ? .query : .ordinary
        if let user { return queue(of: Key(party: .user(ExactText(user)), kind: kind)) }
        guard !limits.logins.sparesLoopback || !address.isLoopback else {
            return shared(for: kind)
        }
        let party = Party.address(LoginTable.owner(of: address.host))
        return queue(of: Key(party: party, kind: kind))
    }

    /// The queue of all parties.
    private func shared(for kind: Kind) -> WorkQueue {
        switch kind {
        case .ordinary: whole
        case .query: queries
        case .large: large
        }
    }

    private func partLimit(for kind: Kind) -> Int {
        switch kind {
        case .ordinary: limits.partyWorkerCount
        case .query: limits.partyQueryWorkerCount
        case .large: 1
        }
    }

    private func queue(of key: Key) -> WorkQueue {
        entries.withLock { entries in
            if let queue = entries[key]?.queue { return queue }
            // Cleaned up when new ones arrive: each connection uses four at most.
            if entries.count >= 4 * limits.http.connectionCount {
                entries = entries.filter { $0.value.queue != nil }
            }
            let queue = WorkQueue(partOf: shared(for: key.kind), limit: partLimit(for: key.kind))
            entries[key] = Entry(queue: queue)
            return queue
        }
    }
}
