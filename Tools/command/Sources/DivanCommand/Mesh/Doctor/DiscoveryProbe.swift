import DivanCommandLine
import DivanCrypto
import DivanDiscovery
import DivanMesh
import DivanPlatform
import Synchronization

/// Advertises a peer of a group of its own and looks for it, and looks for the peers of a real group.
enum DiscoveryProbe {
    /// What became of the advertised peer.
    enum Outcome: Sendable, Equatable {
        case found(milliseconds: Int)
        case silent(Duration)
        case failed(DiscoveryError)
    }

    struct Report: Sendable {
        var outcome: Outcome
        /// The services of the real group.
        var peers: [DiscoveredPeer]
    }

    /// Once the test peer is found, others are awaited as long as each follows within this time.
    private static let pause = Duration.seconds(1)
    /// The port of the test peer, "discard", which nobody calls.
    private static let port: UInt16 = 9

    private struct State {
        var foundOwn: Int?
        var failure: DiscoveryError?
        var peers: [String: DiscoveredPeer] = [:]
    }

    /// Waits until the test peer is found, or until the patience ends.
    static func run(
        for group: MeshGroup,
        over discovery: any PeerDiscovery,
        patience: Duration
    ) -> Report {
        let state = Mutex(State())
        let news = TimedSignal()
        let name = "divan-doctor-" + Hex.encode(SystemRandomSource().bytes(6).span)
        let begin = DispatchTimeStamp.now()
        var activities: [any DiscoveryActivity] = []
        defer { for activity in activities { activity.stop() } }
        @Sendable func note(_ change: (inout State) -> Void) {
            state.withLock { change(&$0) }
            news.signal()
        }
        do throws(DiscoveryError) {
            let test = try ServiceType.mesh(subtype: "_" + name)
            activities.append(
                try discovery.browse(for: try .mesh(subtype: group.subtype)) { event in
                    switch event {
                    case .found(let peer): note { $0.peers[peer.name] = peer }
                    case .lost(let name): note { $0.peers[name] = nil }
                    case .failed(let error): note { $0.failure = error }
                    }
                }
            )
            activities.append(
                try discovery.browse(for: test) { event in
                    guard case .found(let peer) = event, peer.name.hasPrefix(name) else { return }
                    note { $0.foundOwn = $0.foundOwn ?? begin.milliseconds }
                }
            )
            // The version is not that of a mesh, so that no peer calls it.
            let record = try TextRecord(strings: [Array("v=0".utf8)])
            let peer = try PeerAdvertisement(name: name, port: port, service: test, record: record)
            activities.append(
                try discovery.advertise(peer) { event in
                    if case .failed(let error) = event { note { $0.failure = error } }
                }
            )
        } catch {
            return Report(outcome: .failed(error), peers: [])
        }
        wait(for: news, patience) { state.withLock { $0.foundOwn != nil || $0.failure != nil } }
        return state.withLock { state in
            let peers = state.peers.values.sorted { $0.name < $1.name }
            let outcome: Outcome =
                if let failure = state.failure {
                    .failed(failure)
                } else if let milliseconds = state.foundOwn {
                    .found(milliseconds: milliseconds)
                } else {
                    .silent(patience)
                }
            return Report(outcome: outcome, peers: peers)
        }
    }

    private static func wait(
        for news: TimedSignal,
        _ patience: Duration,
        until isDone: () -> Bool
    ) {
        let end = ContinuousClock.now + patience
        var limit = patience
        while limit > .zero, news.wait(for: limit) {
            let rest = end - .now
            limit = isDone() ? min(pause, rest) : rest
        }
    }
}
