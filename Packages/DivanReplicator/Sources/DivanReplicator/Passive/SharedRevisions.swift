import DivanBLIP
import DivanRevisions
public import DivanStore
import Synchronization

/// A cache of revisions that the connections of a listener send, so that they are read and composed only once.
///
/// It contains only data that is equal for all peers, a few megabytes, until the next commit. It is not used for a
/// single connection. Can be used from any thread.
public final class SharedRevisions: Sendable {
    /// Everything that determines the bytes of a message.
    struct Key: Hashable {
        let path: CollectionPath
        let documentID: DocumentID
        let revisionID: RevisionID
        let sequence: UInt64
        let wireIndex: Int?
        let historyCount: Int
        let takesTreeIDs: Bool
        let understandsBlobs: Bool
    }

    /// A message, ready to be sent.
    struct Message {
        let properties: BLIPProperties
        let body: [UInt8]

        /// Bytes that it takes here: for a deletion the body is the smallest part.
        var byteCount: Int { body.count + properties.byteCount + 512 }
    }

    private struct State {
        var messages: [Key: Message] = [:]
        var order: [Key] = []  // the oldest first, from `head` on
        var head = 0
        var byteCount = 0
        var epoch: UInt64 = 0
        var observation: StoreObservation?

        mutating func shrink(to limit: Int) {
            while byteCount > limit, head < order.count {
                byteCount -= messages.removeValue(forKey: order[head])?.byteCount ?? 0
                head += 1
            }
            guard head > 4_096 else { return }
            order.removeFirst(head)
            head = 0
        }
    }

    /// One connection's share, for its lifetime.
    final class Membership: Sendable {
        private let shared: SharedRevisions

        fileprivate init(of shared: SharedRevisions) {
            self.shared = shared
            shared.memberCount.add(1, ordering: .relaxed)
        }

        deinit {
            shared.memberCount.subtract(1, ordering: .relaxed)
        }

        /// The shared revisions; `nil` while there is nobody to share them with.
        var revisions: SharedRevisions? {
            shared.memberCount.load(ordering: .relaxed) > 1 ? shared : nil
        }
    }

    private let limit: Int
    private let state = Mutex(State())
    private let memberCount = Atomic<Int>(0)

    /// Creates a cache of `byteCount` bytes.
    ///
    /// The default, 8 MiB, is enough for the windows of clients that started together.
    public init(of store: Store, byteCount: Int = 8 << 20) {
        limit = byteCount
        let observation = store.observe { [weak self] _ in self?.forget() }
        state.withLock { $0.observation = observation }
    }

    /// Takes part until the membership is released.
    func join() -> Membership { Membership(of: self) }

    /// The kept messages of a batch, and the epoch to pass to `keep`.
    func messages(_ keys: [Key?]) -> (found: [Message?], epoch: UInt64) {
        state.withLock { state in
            (keys.map { key in key.flatMap { state.messages[$0] } }, state.epoch)
        }
    }

    /// Keeps messages that were read in an epoch, if it is not over yet.
    func keep(_ messages: [(key: Key, message: Message)], from epoch: UInt64) {
        state.withLock { state in
            guard state.epoch == epoch else { return }
            for (key, message) in messages where message.body.count <= limit / 64 {
                guard state.messages.updateValue(message, forKey: key) == nil else { continue }
                state.order.append(key)
                state.byteCount += message.byteCount
            }
            state.shrink(to: limit)
        }
    }

    /// A commit may have changed what must be sent.
    private func forget() {
        state.withLock { state in
            state.epoch += 1
            state.messages.removeAll(keepingCapacity: true)
            state.order.removeAll(keepingCapacity: true)
            state.head = 0
            state.byteCount = 0
        }
    }
}
