public import DivanDiscovery
import Foundation
import Synchronization

/// A discovery inside one process: whoever advertises is found by whoever browses here.
public final class NoticeBoard: PeerDiscovery {
    private struct State {
        var peers: [Int: DiscoveredPeer] = [:]
        var browsers: [Int: @Sendable (BrowseEvent) -> Void] = [:]
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
    ) throws(DiscoveryError) -> any DiscoveryActivity {
        let peer = DiscoveredPeer(
            name: advertisement.name,
            host: "127.0.0.1",
            port: advertisement.port,
            attributes: advertisement.attributes
        )
        let number = number()
        telling.withLock {
            state.withLock { $0.peers[number] = peer }
            tell(.found(peer))
            onEvent(.registered(name: peer.name))
        }
        return Activity { [weak self] in
            self?.telling.withLock {
                let gone = self?.state.withLock { $0.peers.removeValue(forKey: number) }
                if gone != nil { self?.tell(.lost(name: peer.name)) }
            }
        }
    }

    /// Tells of every peer, and of each that comes or goes.
    public func browse(
        onEvent: @escaping @Sendable (BrowseEvent) -> Void
    ) throws(DiscoveryError) -> any DiscoveryActivity {
        let number = number()
        telling.withLock {
            state.withLock { $0.browsers[number] = onEvent }
            for peer in state.withLock({ Array($0.peers.values) }) { onEvent(.found(peer)) }
        }
        return Activity { [weak self] in
            self?.telling.withLock { self?.state.withLock { $0.browsers[number] = nil } }
        }
    }

    private func number() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    private func tell(_ event: BrowseEvent) {
        for browser in state.withLock({ Array($0.browsers.values) }) { browser(event) }
    }
}

/// Ends something once, also when it is let go of.
private final class Activity: DiscoveryActivity {
    private let end: Mutex<(@Sendable () -> Void)?>

    init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

    deinit { stop() }

    func stop() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
