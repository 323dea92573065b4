import DivanDiscovery
import DivanTestKit
import Synchronization
import Testing

/// Peers of one process find each other as on a network.
@Suite struct DiscoveryHubTests {
    private let hub = DiscoveryHub()

    /// Events of one search, one after another.
    private final class Watch: Sendable {
        private let stream = AsyncStream<BrowseEvent>.makeStream()
        let activity: any DiscoveryActivity

        init(_ hub: DiscoveryHub, for service: ServiceType) throws {
            let continuation = stream.continuation
            activity = try hub.browse(for: service) { continuation.yield($0) }
        }

        /// The next events, of which there are so many at least.
        func next(_ count: Int) async -> [BrowseEvent] {
            var events: [BrowseEvent] = []
            for await event in stream.stream {
                events.append(event)
                if events.count == count { break }
            }
            return events
        }

        /// All events so far; the search has been stopped.
        func rest() async -> [BrowseEvent] {
            stream.continuation.finish()
            return await stream.stream.reduce(into: []) { $0.append($1) }
        }
    }

    private func group(_ code: String) throws -> ServiceType { try .mesh(subtype: "_\(code)") }

    private func record(_ value: [UInt8]) throws -> TextRecord {
        try TextRecord(strings: [Array("nb=".utf8) + value])
    }

    @discardableResult
    private func advertise(
        _ name: String,
        _ service: ServiceType = .listener,
        _ value: [UInt8] = []
    ) throws -> any AdvertisementActivity {
        let advertisement = try PeerAdvertisement(
            name: name,
            port: 4_984,
            service: service,
            record: record(value)
        )
        return try hub.advertise(advertisement) { _ in }
    }

    private func names(_ events: [BrowseEvent]) -> [String] {
        events.map { event in
            switch event {
            case .found(let peer): peer.name
            case .lost(let name): "-\(name)"
            case .failed(let error): "\(error)"
            }
        }
    }

    @Test func `a hub meets the contract`() async throws {
        let activity = try advertise("jukebox")
        let violations = try await PeerDiscoveryContract.violations(
            of: hub,
            finding: "jukebox",
            patience: .seconds(60)
        )
        #expect(violations == [])
        activity.stop()
    }

    @Test func `a search finds the peers of its group only`() async throws {
        let ours = try Watch(hub, for: group("1f2e3d4c"))
        let theirs = try Watch(hub, for: group("00000000"))
        let listeners = try Watch(hub, for: .listener)
        let activities = try [
            advertise("one", group("1f2e3d4c")), advertise("other", group("00000000")),
            advertise("listener"), advertise("two", group("1f2e3d4c")),
        ]
        #expect(await names(ours.next(2)) == ["one", "two"])
        for activity in activities { activity.stop() }
        #expect(await names(ours.next(2)) == ["-one", "-two"])
        for watch in [ours, theirs, listeners] { watch.activity.stop() }
        #expect(await names(theirs.rest()) == ["other", "-other"])
        #expect(await names(listeners.rest()) == ["listener", "-listener"])
    }

    @Test func `an updated record is reported with its bytes, and an equal one is not`()
        async throws
    {
        let bytes: [UInt8] = [0, 0xFF, 0x3D, 0x80]
        let watch = try Watch(hub, for: group("1f2e3d4c"))
        let activity = try advertise("one", group("1f2e3d4c"), [1])
        _ = await watch.next(1)
        activity.update(try record([1]))
        activity.update(try record(bytes))
        let event = await watch.next(1).first
        guard case .found(let peer) = event else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(peer.record.strings == [Array("nb=".utf8) + bytes])
        #expect(peer.name == "one" && peer.port == 4_984)
        activity.stop()
        activity.update(try record([2]))
        #expect(await names(watch.next(1)) == ["-one"])
        watch.activity.stop()
        #expect(await watch.rest() == [])
    }

    @Test func `a name that is in use gets a number`() async throws {
        let registered = AsyncStream<AdvertisementEvent>.makeStream()
        let advertisement = try PeerAdvertisement(name: "jukebox", port: 1)
        let activities = try (0..<3).map { _ in
            try hub.advertise(advertisement) { registered.continuation.yield($0) }
        }
        var iterator = registered.stream.makeAsyncIterator()
        for name in ["jukebox", "jukebox #2", "jukebox #3"] {
            #expect(await iterator.next() == .registered(name: name))
        }
        for activity in activities { activity.stop() }
    }

    @Test func `an advertisement ends when its activity is released`() async throws {
        let watch = try Watch(hub, for: .listener)
        var activity: (any AdvertisementActivity)? = try advertise("jukebox")
        #expect(activity != nil)
        _ = await watch.next(1)
        activity = nil
        #expect(await names(watch.next(1)) == ["-jukebox"])
        watch.activity.stop()
    }

    @Test func `a search can be stopped by its own event, and gets no events afterwards`()
        async throws
    {
        let search = Mutex<(any DiscoveryActivity)?>(nil)
        let count = Mutex(0)
        let stopped = AsyncStream<Void>.makeStream()
        let activity = try hub.browse { _ in
            count.withLock { $0 += 1 }
            search.withLock { $0 }?.stop()
            stopped.continuation.yield()
        }
        search.withLock { $0 = activity }
        let activities = try [advertise("one"), advertise("two")]
        var iterator = stopped.stream.makeAsyncIterator()
        await iterator.next()
        // Another search is notified on the same queue, after all earlier events.
        let watch = try Watch(hub, for: .listener)
        _ = await watch.next(2)
        #expect(count.withLock { $0 } == 1)
        for activity in activities { activity.stop() }
        watch.activity.stop()
    }
}
