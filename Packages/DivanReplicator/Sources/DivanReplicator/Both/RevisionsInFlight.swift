import DivanRevisions
import DivanStore
import Synchronization

/// The revisions that the connections of one database are receiving, so that each body is transferred about once.
///
/// If a second peer offers a revision that is in flight from another peer, its list is answered when that transfer has
/// ended: the revision is then known, or requested from the second peer. The list waits for a transfer that began at
/// most `ReplicatorLimits.transferTime` ago, and at most that long in total. So nothing is lost if a transfer fails or
/// stalls, and a slow peer delays others only briefly.
///
/// Blobs are in the same table (`BlobGate`). A blob is much longer in flight than a body, so its transfer counts as long
/// as it makes progress.
///
/// **Why no two lists wait for each other.** A list that must wait has entered nothing. One that is answered enters all
/// of its revisions in one step.
///
/// **What bounds it.** Entries have a fixed size, and a connection has at most a quarter of them. Revisions without an
/// entry are transferred like others, possibly twice.
///
/// Can be used from any thread.
public final class RevisionsInFlight: Sendable {
    /// A revision of a document, or a blob; a hash, because two with the same one only wait for each other.
    struct Key: Hashable {
        private let digest: Int

        init(_ documentID: DocumentID, _ revisionID: RevisionID, in path: CollectionPath) {
            var hasher = Hasher()
            hasher.combine(path)
            hasher.combine(documentID)
            hasher.combine(revisionID)
            digest = hasher.finalize()
        }

        init(_ blob: BlobDigest) {
            digest = blob.hashValue
        }
    }

    /// A transfer of another connection for which a list waits.
    struct Awaited {
        let key: Key
        /// When it no longer delays the list.
        let deadline: Duration
        /// Different for each transfer.
        let number: UInt64
    }

    fileprivate struct Transfer {
        var member: UInt64
        var deadline: Duration
        let number: UInt64
        var observers: [@Sendable () -> Void] = []
    }

    fileprivate struct State {
        var transfers: [Key: Transfer] = [:]
        var counts: [UInt64: Int] = [:]
        var lastMember: UInt64 = 0
        var lastTransfer: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates a table of at most `count` entries.
    ///
    /// The default, 16,384, is enough for the windows of five connections, in a megabyte.
    public init(count: Int = 16_384) {
        limit = max(4, count)
    }

    /// One connection's part, for its lifetime.
    final class Membership: Sendable {
        private let table: RevisionsInFlight
        private let number: UInt64

        fileprivate init(of table: RevisionsInFlight, _ number: UInt64) {
            self.table = table
            self.number = number
        }

        deinit { endAll() }

        /// Enters revisions that this connection requests now, unless some of them are in flight from other peers.
        ///
        /// Others wait for these transfers for `time`. Unless it `waits`, this connection takes the place of others.
        ///
        /// - Returns: The transfers to wait for; nothing is entered then.
        func begin(
            _ keys: [Key],
            at now: Duration,
            for time: Duration,
            waits: Bool
        ) -> [Awaited] {
            table.state.withLock { state in
                if waits {
                    let awaited = keys.compactMap { state.awaited($0, by: number, at: now) }
                    guard awaited.isEmpty else { return awaited }
                }
                state.enter(keys, by: number, at: now, until: now + time, limit: table.limit)
                return []
            }
        }

        /// Another connection's transfer of a revision, if it still counts.
        func awaited(_ key: Key, at now: Duration) -> Awaited? {
            table.state.withLock { $0.awaited(key, by: number, at: now) }
        }

        /// A transfer of this connection makes progress: others wait longer.
        func renew(_ key: Key, until deadline: Duration) {
            table.state.withLock { $0.renew(key, by: number, until: deadline) }
        }

        /// Ends a transfer of this connection: the revision is stored, or will not be.
        func end(_ key: Key) {
            let observers = table.state.withLock { $0.end(key, by: number) }
            for notify in observers { notify() }
        }

        /// Ends all transfers of this connection, which is closed.
        func endAll() {
            let observers = table.state.withLock { state in
                guard state.counts[number] != nil else { return [@Sendable () -> Void]() }
                let keys = state.transfers.filter { $0.value.member == number }.keys
                return keys.flatMap { state.end($0, by: number) }
            }
            for notify in observers { notify() }
        }

        /// The end of a transfer, for the driver.
        func end(of awaited: Awaited) -> AwaitedTransfer {
            AwaitedTransfer(table: table, key: awaited.key)
        }
    }

    /// Takes part until the membership is released.
    func join() -> Membership {
        let number = state.withLock { state in
            state.lastMember += 1
            return state.lastMember
        }
        return Membership(of: self, number)
    }

    fileprivate func observe(_ key: Key, _ notify: @escaping @Sendable () -> Void) {
        let isObserved = state.withLock { state in
            guard let place = state.transfers.index(forKey: key) else { return false }
            state.transfers.values[place].observers.append(notify)
            return true
        }
        if !isObserved { notify() }
    }
}

extension RevisionsInFlight.State {
    fileprivate func awaited(
        _ key: RevisionsInFlight.Key,
        by member: UInt64,
        at now: Duration
    ) -> RevisionsInFlight.Awaited? {
        guard let transfer = transfers[key], transfer.member != member, now < transfer.deadline
        else { return nil }
        return RevisionsInFlight.Awaited(
            key: key,
            deadline: transfer.deadline,
            number: transfer.number
        )
    }

    fileprivate mutating func enter(
        _ keys: [RevisionsInFlight.Key],
        by member: UInt64,
        at now: Duration,
        until deadline: Duration,
        limit: Int
    ) {
        let (share, count) = (limit / 4, counts[member, default: 0])
        if transfers.count + keys.count > limit || count + keys.count > share {
            removeOverdue(at: now)
        }
        for key in keys {
            guard counts[member, default: 0] < share else { return }
            if let place = transfers.index(forKey: key) {
                leave(transfers.values[place].member)
                transfers.values[place].member = member
                transfers.values[place].deadline = deadline
            } else {
                guard transfers.count < limit else { return }
                lastTransfer += 1
                transfers[key] = RevisionsInFlight.Transfer(
                    member: member,
                    deadline: deadline,
                    number: lastTransfer
                )
            }
            counts[member, default: 0] += 1
        }
    }

    fileprivate mutating func renew(
        _ key: RevisionsInFlight.Key,
        by member: UInt64,
        until deadline: Duration
    ) {
        guard let place = transfers.index(forKey: key), transfers.values[place].member == member
        else { return }
        transfers.values[place].deadline = deadline
    }

    fileprivate mutating func end(
        _ key: RevisionsInFlight.Key,
        by member: UInt64
    ) -> [@Sendable () -> Void] {
        guard let transfer = transfers[key], transfer.member == member else { return [] }
        transfers[key] = nil
        leave(member)
        return transfer.observers
    }

    /// Nobody waits for these any more.
    private mutating func removeOverdue(at now: Duration) {
        for (key, transfer) in transfers where transfer.deadline <= now {
            transfers[key] = nil
            leave(transfer.member)
        }
    }

    /// One transfer less of a member.
    private mutating func leave(_ member: UInt64) {
        let count = counts[member, default: 1] - 1
        counts[member] = count > 0 ? count : nil
    }
}

/// A transfer by another connection of the same database, for which a list waits.
public struct AwaitedTransfer: Sendable {
    fileprivate let table: RevisionsInFlight
    fileprivate let key: RevisionsInFlight.Key

    /// Calls a closure at most once, when the transfer has ended, on the thread that ended it, or immediately.
    ///
    /// It must return quickly; call `advance(to:)` of the peer afterwards, on the peer's thread.
    public func whenOver(_ notify: @escaping @Sendable () -> Void) { table.observe(key, notify) }
}
