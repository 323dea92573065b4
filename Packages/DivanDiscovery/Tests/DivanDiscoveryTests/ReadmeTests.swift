import DivanDiscovery
import Testing

/// The README's example, word for word.
@Suite struct ReadmeTests {
    @Test func `the README example works`() async throws {
        let discovery = StaticPeerList([
            DiscoveredPeer(name: "jukebox", host: "10.0.0.7", port: 4_984)
        ])  // or AvahiDiscovery()
        let mine = try PeerAdvertisement(name: "bar", port: 4_985, attributes: ["db": "songs"])
        let activity = try discovery.advertise(mine) { event in print(event) }
        var names: [String] = []
        for try await peers in discovery.peers() {
            names = peers.map(\.name)
            break
        }
        activity.stop()

        #expect(names == ["jukebox"])
    }
}
