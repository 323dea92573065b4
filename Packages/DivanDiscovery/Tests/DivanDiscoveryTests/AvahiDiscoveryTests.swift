import DivanDiscovery
import DivanTestKit
import Testing

/// Avahi discovery on a machine without its daemon.
@Suite struct AvahiDiscoveryTests {
    /// Points this process at a system bus that does not exist, whatever the machine runs.
    ///
    /// The bus library looks once, at the first connection, so all tests here use this.
    static let discovery: AvahiDiscovery = {
        TestEnvironment.set("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/divan-test-bus")
        return AvahiDiscovery()
    }()

    @Test func `without a daemon the errors of advertising and browsing say what to do`() throws {
        let advertisement = try PeerAdvertisement(name: "jukebox", port: 4_984)
        let errors = [
            #expect(throws: DiscoveryError.self) {
                _ = try Self.discovery.advertise(advertisement) { Issue.record("\($0)") }
            },
            #expect(throws: DiscoveryError.self) {
                _ = try Self.discovery.browse { Issue.record("\($0)") }
            },
        ]
        for error in errors {
            let text =
                "peer discovery: Avahi daemon not running; "
                + "install and start avahi-daemon, or use a static list of peers"
            #expect(error.map { "\($0)" } == text)
        }
    }

    @Test func `without a daemon the sequence of peers throws`() async {
        await #expect(throws: DiscoveryError.self) {
            for try await peers in Self.discovery.peers() { Issue.record("\(peers)") }
        }
    }
}
