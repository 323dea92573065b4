import DivanTestKit
import Testing

/// The room where no Avahi daemon runs.
@Suite(.timeLimit(.minutes(1))) struct RoomTests {
    @Test func `without a daemon a peer says what to do`() throws {
        let folder = try TemporaryDirectory()
        var room = Program.built("room-example")
        room.environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/divan-test-bus"]
        let outcome = try room.run([folder.path, "kitchen", "token-of-the-room"])
        #expect(outcome.status == 1)
        let remedy = "no Avahi daemon: install and start avahi-daemon or use a static list"
        #expect(outcome.lines.contains("peer discovery: \(remedy)"), "\(outcome)")
    }
}
