import DivanTestKit
import Foundation
import Testing

/// `divan serve --advertise` and `divan discover` through a real Avahi daemon.
@Suite(.timeLimit(.minutes(5))) struct DiscoveryTests {
    @Test(
        .enabled(if: PrivateAvahi.isInstalled, "make setup installs avahi-daemon and dbus-daemon")
    )
    func `a peer name cannot reverse the text direction`() throws {
        let shell = try Shell()
        try shell.run("new", "a")
        let avahi = try PrivateAvahi()
        let server = try shell.start(
            ["serve", "a", "--advertise", "juke\u{202E}xob"],
            avahi.environment
        )
        defer { server.stop() }
        _ = try server.event(named: "advertised")
        let line = try shell.divan(["discover", "--seconds", "1"], environment: avahi.environment)
        #expect(line.output.hasPrefix(#"juke\u{202e}xob  wss://"#), "\(line)")
    }

    @Test(
        .enabled(if: PrivateAvahi.isInstalled, "make setup installs avahi-daemon and dbus-daemon")
    )
    func `a database with special characters is advertised with a valid URL`() throws {
        let shell = try Shell()
        try shell.run("new", "a b#c?")
        try shell.run("new", "b")
        try shell.run("put", "a b#c?", "one", "{}")
        let avahi = try PrivateAvahi()
        let server = try shell.start(
            ["serve", "a b#c?", "--advertise", "jukebox", "--no-tls"],
            avahi.environment
        )
        defer { server.stop() }
        _ = try server.event(named: "advertised")
        let line = try shell.divan(["discover", "--seconds", "1"], environment: avahi.environment)
        let url = try #require(line.output.split(separator: " ").last)
        #expect(url.contains("/a%20b%23c%3F"), "\(line)")
        try shell.run("pull", "b", url.trimmingCharacters(in: .newlines))
        #expect(try shell.run("ls", "b").output == "one\n")
    }

    @Test(
        .enabled(if: PrivateAvahi.isInstalled, "make setup installs avahi-daemon and dbus-daemon")
    )
    func `an advertised peer is found, can be pinned and pulled from, and is lost`() throws {
        let shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        try shell.run("put", "a", "one", "{}")
        let avahi = try PrivateAvahi()
        let search = try shell.start(["discover", "--seconds", "0"], avahi.environment)
        let server = try shell.start(
            ["serve", "a", "--advertise", "jukebox", "--write-certificate", "jukebox.pem"],
            avahi.environment
        )
        let listening = try server.event(named: "listening")
        #expect(try server.event(named: "advertised")["name"] as? String == "jukebox")

        let found = try search.event { $0["event"] as? String == "found" }
        #expect(found["name"] as? String == "jukebox")
        let port = try #require(found["port"] as? Int)
        #expect(port == listening["port"] as? Int)
        let attributes = try #require(found["attributes"] as? [String: String])
        #expect(attributes["scheme"] == "wss" && attributes["database"] == "a")
        #expect(attributes["fingerprint"] == listening["fingerprint"] as? String)
        let line = try shell.divan(["discover", "--seconds", "1"], environment: avahi.environment)
        #expect(line.output.hasPrefix("jukebox  wss://127.0.0.1:\(port)/a  "), "\(line)")

        let url = "wss://127.0.0.1:\(port)/a"
        try shell.run("pull", "b", url, "--pin", "jukebox.pem")
        #expect(try shell.run("ls", "b").output == "one\n")
        server.stop()
        #expect(try search.event(named: "lost")["name"] as? String == "jukebox")
        #expect(search.stop() == 0)
        try shell.divan(["discover", "--seconds", "1"], environment: avahi.environment)
            .expectFailure(3, "no peer found")
    }
}
