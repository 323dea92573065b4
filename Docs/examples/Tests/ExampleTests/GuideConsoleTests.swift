import DivanTestKit
import Foundation
import Testing

/// The commands in terminal blocks of guides print the output that the guides show.
@Suite(.serialized, .timeLimit(.minutes(5))) struct GuideConsoleTests {
    /// The address with the port of `shown` on this machine, regardless of its interfaces.
    private func local(_ shown: String) throws -> String {
        var parts = try #require(URLComponents(string: shown))
        parts.host = "127.0.0.1"
        return try #require(parts.string)
    }

    @Test func `two guest books sync as in the app guide`() throws {
        let guide = try Guide("an-app-from-zero.md", runs: "console hall", "console bar")
        let (hall, bar) = (
            try guide.conversation("console hall"), try guide.conversation("console bar")
        )
        let terminal = try GuideTerminal()
        try #require(hall.typed.count == 2 && hall.shown.count == 2)
        #expect(try terminal.type(hall.typed[0]) == [])
        let sharing = try terminal.start(hall.typed[1])
        let address = try local(try sharing.line { $0.hasPrefix("wss://") })
        #expect(address.hasSuffix("/guestbook") && hall.shown[0].hasSuffix("/guestbook"))
        #expect(try sharing.line { $0.hasSuffix(".pem") } == hall.shown[1])

        let shown = try bar.typed.flatMap {
            try terminal.type($0.replacing(hall.shown[0], with: address))
        }
        #expect(shown == bar.shown.map { $0.replacing(hall.shown[0], with: address) })
        sharing.endInput()
        #expect(sharing.finish().status == 0)
    }

    @Test func `the one-process server answers as shown in the guide`() throws {
        let guide = try Guide("one-process.md", runs: "console server", "console requests")
        let begin = try guide.conversation("console server")
        let requests = try guide.conversation("console requests")
        try #require(begin.typed.count == 1 && begin.shown.count == 2)
        let terminal = try GuideTerminal()
        let server = try terminal.start(begin.typed[0])
        let page = try server.line { $0.hasPrefix("http://127.0.0.1:") }
        let peers = try server.line { $0.hasPrefix("wss://") }
        #expect(page.hasSuffix("/menu") && begin.shown[0].hasSuffix("/menu"))
        #expect(peers.hasSuffix("/shop") && begin.shown[1].hasSuffix("/shop"))
        let shown = try requests.typed.flatMap { line in
            try terminal.type(
                line.replacing("curl ", with: "curl -s ").replacing(begin.shown[0], with: page)
            )
        }
        #expect(shown == requests.shown)
        server.endInput()
        #expect(server.finish().status == 0)
    }

    @Test(
        .enabled(if: PrivateAvahi.isInstalled, "make setup installs avahi-daemon and dbus-daemon")
    )
    func `two peers find each other as shown in the peer-to-peer guide`() throws {
        let guide = try Guide("peer-to-peer.md", runs: "console")
        let conversation = try guide.conversation("console")
        try #require(conversation.typed.count == 1)
        let line = conversation.typed[0]
        let avahi = try PrivateAvahi()
        let environment = avahi.environment.mapValues { Optional($0) }
        let machines = [try GuideTerminal(environment), try GuideTerminal(environment)]
        let kitchen = try machines[0].start(line)
        let hall = try machines[1].start(line.replacing(" kitchen ", with: " hall "))
        // The order of lines does not matter, and neither do addresses.
        var expected = conversation.shown.map { $0.replacing(#/ at wss:.*/#, with: "") }
        try #require(expected.count == 5)
        while !expected.isEmpty {
            let line = try kitchen.line()
            expected.removeAll { line.hasPrefix($0) }
        }
        for peer in [hall, kitchen] {
            peer.endInput()
            #expect(peer.finish().status == 0)
        }
        withExtendedLifetime(machines) {}
    }
}
