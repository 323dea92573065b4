import DivanCrypto
import DivanMesh
import DivanTestKit
import Synchronization
import Testing

/// The README's example, word for word.
@Suite struct ReadmeTests {
    private let own = MeshPeerID(1)
    private let peer = MeshPeerID(2)
    private let connection = MeshConnectionID(incoming: 1)
    private let secondsSince1970: UInt32 = 1_800_000_000
    private let random = SystemRandomSource()
    private let clock = VirtualClock()
    private let log = Mutex<[String]>([])

    private func note(_ step: String) { log.withLock { $0.append(step) } }
    private func dial(_: MeshAddress, _: MeshConnectionID) { note("dial") }
    private func upgrade(_: MeshConnectionID) { note("upgrade") }
    private func send(_: [UInt8], on _: MeshConnectionID) { note("send") }
    private func advertise(_ strings: [[UInt8]]) { note("advertise \(strings.count)") }
    private func wake(at _: Duration) { note("wake") }

    @Test func `the README example works`() throws {
        let addresses = [try MeshAddress("10.0.0.6:4984")]
        let sighting = MeshSighting(
            name: Array("jukebox".utf8),
            announcement: CoreBench.announcement(peer),
            addresses: [try MeshAddress("10.0.0.7:4984")]
        )
        var mesh = MeshCore(
            MeshConfiguration(peer: own, scheme: 4, firstCounter: secondsSince1970, random: random)
        )
        for event in [
            MeshEvent.listening(addresses), .found(sighting), .called(connection, from: peer),
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
        let steps = log.withLock { $0 }
        #expect(steps.filter { $0 != "wake" } == ["advertise 5", "upgrade", "send"])
    }
}
