import DivanCrypto
import DivanMesh
import DivanTestKit
import Testing

/// The README's example, word for word.
@Suite struct ReadmeTests {
    private let own = MeshPeerID(1)
    private let peer = MeshPeerID(2)
    private let connection = MeshConnectionID(incoming: 1)
    private let secondsSince1970: UInt32 = 1_800_000_000
    private let random = SystemRandomSource()
    private let clock = VirtualClock()

    @Test func `the README example works`() throws {
        var steps: [String] = []
        func dial(_: MeshAddress, _: MeshConnectionID) { steps.append("dial") }
        func upgrade(_: MeshConnectionID) { steps.append("upgrade") }
        func send(_: [UInt8], on _: MeshConnectionID) { steps.append("send") }
        func advertise(_ strings: [[UInt8]]) { steps.append("advertise \(strings.count)") }
        func wake(at _: Duration) { steps.append("wake") }
        let addresses = [try MeshAddress("10.0.0.6:4984")]
        let advertisement = MeshAdvertisement(
            name: Array("jukebox".utf8),
            announcement: CoreBench.announcement(peer),
            addresses: [try MeshAddress("10.0.0.7:4984")]
        )
        var mesh = MeshCore(
            MeshConfiguration(peer: own, scheme: 4, firstCounter: secondsSince1970, random: random)
        )
        for event in [
            MeshEvent.listening(addresses), .found(advertisement), .called(connection, from: peer),
        ] {
            for effect in mesh.handle(event, at: clock.now) {
                switch effect {
                case .connect(let connection, let address, _): dial(address, connection)
                case .accept(let connection): upgrade(connection)
                case .send(let connection, let bytes): send(bytes, on: connection)
                case .publish(let announcement): advertise(announcement.textStrings)
                case .setTimer(let time): wake(at: time)
                case .refuse, .close, .report: break  // and these
                }
            }
        }
        #expect(mesh.links.map(\.peer) == [peer])
        #expect(steps.filter { $0 != "wake" } == ["advertise 5", "upgrade", "send"])
    }
}
