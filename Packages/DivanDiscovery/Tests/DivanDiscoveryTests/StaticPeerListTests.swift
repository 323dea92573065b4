import DivanDiscovery
import Synchronization
import Testing

/// A fixed list is a discovery like any other.
@Suite struct StaticPeerListTests {
    let jukebox = DiscoveredPeer(name: "jukebox", host: "10.0.0.7", port: 4_984)
    let bar = DiscoveredPeer(name: "bar", host: "bar.example.org", port: 4_985)

    @Test func `a static peer list meets the contract`() async throws {
        let list = StaticPeerList([jukebox, bar])
        for name in ["jukebox", "bar"] {
            let violations = try await PeerDiscoveryContract.violations(
                of: list,
                finding: name,
                patience: .seconds(5)
            )
            #expect(violations == [])
        }
    }

    @Test func `the contract detects a discovery that finds nothing or never stops`() async throws {
        let silent = try await PeerDiscoveryContract.violations(
            of: StaticPeerList([]),
            finding: "jukebox",
            patience: .milliseconds(1)
        )
        #expect(silent.count == 2)

        let unstoppable = UnstoppableDiscovery(peer: jukebox)
        let violations = try await PeerDiscoveryContract.violations(
            of: unstoppable,
            finding: "jukebox",
            patience: .seconds(5)
        )
        #expect(violations == ["No event may start after stop() returns."])
    }

    /// Reports to every search that was ever started.
    final class UnstoppableDiscovery: PeerDiscovery {
        final class Activity: AdvertisementActivity {
            func update(_ record: TextRecord) {}
            func stop() {}
        }

        let peer: DiscoveredPeer
        let searches = Mutex<[@Sendable (BrowseEvent) -> Void]>([])

        init(peer: DiscoveredPeer) {
            self.peer = peer
        }

        func advertise(
            _ advertisement: PeerAdvertisement,
            onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
        ) throws(DiscoveryError) -> any AdvertisementActivity { Activity() }

        func browse(
            for service: ServiceType,
            onEvent: @escaping @Sendable (BrowseEvent) -> Void
        ) throws(DiscoveryError) -> any DiscoveryActivity {
            let all = searches.withLock { searches in
                searches.append(onEvent)
                return searches
            }
            for search in all { search(.found(peer)) }
            return Activity()
        }
    }

    @Test func `advertising with a static list only reports the name`() throws {
        let events = Mutex<[AdvertisementEvent]>([])
        let advertisement = try PeerAdvertisement(name: "me", port: 1)
        let activity = try StaticPeerList([]).advertise(advertisement) { event in
            events.withLock { $0.append(event) }
        }
        activity.stop()
        #expect(events.withLock { $0 } == [.registered(name: "me")])
    }

    @Test func `the sequence contains all peers, sorted by name`() async throws {
        var iterator = StaticPeerList([jukebox, bar]).peers().makeAsyncIterator()
        #expect(try await iterator.next() == [bar, jukebox])
    }

    @Test func `the sequence follows peers that appear, change and disappear`() async throws {
        var changed = jukebox
        changed.port = 9
        let script: [BrowseEvent] = [
            .found(jukebox), .found(bar), .found(changed), .lost(name: "bar"),
        ]
        let discovery = ScriptedDiscovery()
        var iterator = discovery.peers().makeAsyncIterator()
        var seen: [[DiscoveredPeer]?] = []
        for event in script {
            discovery.tell(event)
            seen.append(try await iterator.next())
        }
        #expect(seen == [[jukebox], [bar, jukebox], [bar, changed], [changed]])

        discovery.tell(.failed(.noDaemon(code: -23)))
        await #expect(throws: DiscoveryError.noDaemon(code: -23)) { try await iterator.next() }
        #expect(discovery.isStopped)
    }

    /// Finds what the test passes to it.
    final class ScriptedDiscovery: PeerDiscovery, AdvertisementActivity {
        private let state = Mutex<(handler: (@Sendable (BrowseEvent) -> Void)?, isStopped: Bool)>(
            (nil, false)
        )

        var isStopped: Bool { state.withLock { $0.isStopped } }

        func tell(_ event: BrowseEvent) {
            state.withLock { $0.handler }?(event)
        }

        func update(_ record: TextRecord) {}

        func stop() {
            state.withLock { $0.isStopped = true }
        }

        func advertise(
            _ advertisement: PeerAdvertisement,
            onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
        ) throws(DiscoveryError) -> any AdvertisementActivity { self }

        func browse(
            for service: ServiceType,
            onEvent: @escaping @Sendable (BrowseEvent) -> Void
        ) throws(DiscoveryError) -> any DiscoveryActivity {
            state.withLock { $0.handler = onEvent }
            return self
        }
    }
}
