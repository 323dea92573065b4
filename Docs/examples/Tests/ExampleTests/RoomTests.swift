import DivanTestKit
import Foundation
import Testing

/// Peers find each other through a real Avahi daemon, and recognize each other later.
///
/// The daemon belongs to the test and uses only the loopback interface.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RoomTests {
    @Test(
        .enabled(if: PrivateAvahi.isInstalled, "make setup installs avahi-daemon and dbus-daemon")
    )
    func `peers find each other, pin certificates on first use, and recognize a returning peer`()
        throws
    {
        let avahi = try PrivateAvahi()
        let kitchen = try Peer("kitchen", avahi.environment)
        let hall = try Peer("hall", avahi.environment)
        let greetings = ["found", "pinned", "is in sync with", "has"]
        let first = try kitchen.waits(for: greetings.map { "\($0) hall" })
        try hall.waits(for: greetings.map { "\($0) kitchen" })

        hall.stop()
        try kitchen.waits(for: ["lost hall"])
        let again = try Peer("hall", avahi.environment, in: hall.folder)
        let second = try kitchen.waits(for: ["found hall", "is in sync with hall"])
        #expect(second[0] != first[0], "the listener takes a free port")
        again.stop()

        try kitchen.waits(for: ["lost hall"])
        try FileManager.default.removeItem(atPath: hall.folder.file("identities"))
        let stranger = try Peer("hall", avahi.environment, in: hall.folder)
        let refusal = try kitchen.waits(for: ["refuses hall: "])
        #expect(refusal[0].contains("its certificate is not the one that was pinned"))
        stranger.stop()
        let said = kitchen.stop()
        #expect(said.lines.filter { $0.hasPrefix("kitchen pinned hall") }.count == 1)
    }

    @Test func `without an Avahi daemon the error says what to install`() throws {
        let bus = "unix:path=/nonexistent/divan-test-bus"
        let outcome = try Peer("kitchen", ["DBUS_SYSTEM_BUS_ADDRESS": bus]).stop()
        #expect(outcome.status == 1)
        let remedy = "install and start avahi-daemon, or use a static list of peers"
        let line = "peer discovery: Avahi daemon not running; \(remedy)"
        #expect(outcome.lines.contains(line), "\(outcome)")
    }
}

/// A running `room-example`, with a folder for its database, its identity and its pins.
private struct Peer {
    let name: String
    let folder: TemporaryDirectory
    private let process: RunningProgram

    init(
        _ name: String,
        _ environment: [String: String],
        in folder: TemporaryDirectory? = nil
    ) throws {
        self.name = name
        self.folder = try folder ?? TemporaryDirectory()
        var program = Program.built("room-example")
        program.environment = environment
        process = try program.start(
            [self.folder.path, name, "token-of-the-room"],
            input: .lines,
            errors: .amongLines,
            patience: .seconds(40)
        )
    }

    /// Waits until each text has begun a line, in any order; returns these lines in the order of the texts.
    @discardableResult
    func waits(for texts: [String]) throws -> [String] {
        var lines: [String: String] = [:]
        while lines.count < texts.count {
            let line = try process.line()
            for text in texts where line.hasPrefix("\(name) \(text)") { lines[text] = line }
        }
        return texts.compactMap { lines[$0] }
    }

    /// Closes its input, and waits until it exits.
    @discardableResult
    func stop() -> Program.Outcome {
        process.endInput()
        return process.finish()
    }
}
