public import DivanDiscovery
import Foundation
import Synchronization

/// A discovery inside one process: whoever advertises is found by whoever browses here.
public final class NoticeBoard: PeerDiscovery {
    private struct State {
        var notices: [Int: (service: ServiceType, peer: DiscoveredPeer)] = [:]
        var readers: [Int: (service: ServiceType, tell: @Sendable (BrowseEvent) -> Void)] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())
    /// Held while events are told: none begins after `stop` has returned.
    ///
    /// Recursive, as an event may stop what it comes from.
    private let telling = NSRecursiveLock()

    /// Creates an empty board.
    public init() {}

    /// Puts a peer up.
    public func advertise(
        _ advertisement: PeerAdvertisement,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws(DiscoveryError) -> any AdvertisementActivity {
        let (number, name) = (number(), advertisement.name)
        let change: @Sendable (TextRecord?) -> Void = { [weak self] record in
            let peer = record.map {
                DiscoveredPeer(name: name, host: "127.0.0.1", port: advertisement.port, record: $0)
            }
            self?.put(peer, number, named: name, advertisement.service)
        }
        change(advertisement.record)
        onEvent(.registered(name: name))
        return Activity(change)
    }

    /// Tells of every peer, and of each that comes or goes.
    public func browse(
        for service: ServiceType,
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity {
        let number = number()
        telling.withLock {
            state.withLock { $0.readers[number] = (service, onEvent) }
            let notices = state.withLock { Array($0.notices.values) }
            for notice in notices where notice.service == service { onEvent(.found(notice.peer)) }
        }
        return Activity { [weak self] _ in
            self?.telling.withLock { self?.state.withLock { $0.readers[number] = nil } }
        }
    }

    private func number() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Puts a notice up, changes it, or takes it down.
    private func put(
        _ peer: DiscoveredPeer?,
        _ number: Int,
        named name: String,
        _ type: ServiceType
    ) {
        telling.withLock {
            state.withLock { $0.notices[number] = peer.map { (type, $0) } }
            let readers = state.withLock { Array($0.readers.values) }
            for reader in readers where reader.service == type {
                reader.tell(peer.map { .found($0) } ?? .lost(name: name))
            }
        }
    }
}

/// Changes something until it ends; ends it once, also when it is let go of.
private final class Activity: AdvertisementActivity {
    private let change: Mutex<(@Sendable (TextRecord?) -> Void)?>

    init(_ change: @escaping @Sendable (TextRecord?) -> Void) { self.change = Mutex(change) }

    deinit { stop() }

    func update(_ record: TextRecord) { change.withLock { $0 }?(record) }

    func stop() {
        let change = change.withLock { change in
            defer { change = nil }
            return change
        }
        change?(nil)
    }
}
