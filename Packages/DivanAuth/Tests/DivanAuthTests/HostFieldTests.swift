import DivanAuth
import DivanPlatform
import Testing

/// Which web pages are the server's own.
@Suite struct HostFieldTests {
    @Test(arguments: [
        ("host.example", "https://host.example", true, true),
        ("host.example:4984", "HTTPS://Host.Example:4984", true, true),
        ("host.example", "http://host.example", true, false),
        ("host.example", "http://host.example", false, true),
        ("host.example", "https://host.example", false, true),
        ("host.example", "https://other.example", false, false),
        ("host.example", "https://host.example:1", false, false),
        ("host.example", "null", false, false), ("", "https://host.example", true, false),
    ]) func `a page loaded without TLS is another origin if TLS is used`(
        host: String,
        origin: String,
        isSecure: Bool,
        isOwn: Bool
    ) {
        #expect(HostField(host).isOrigin(origin, isSecure: isSecure) == isOwn)
    }

    @Test(arguments: [
        "localhost", "LocalHost", "localhost.", "localhost:4985", "localhost:", "127.0.0.1",
        "127.0.0.1:4985", "127.9.9.9", "0.0.0.0:1", "[::1]", "[::1]:4985", "[::ffff:127.0.0.1]",
        "Notes.Example", "notes.example.:80", "[2001:db8::7]:80",
    ]) func `loopback addresses and allowed names are accepted as own names`(host: String) {
        #expect(HostField(host).isOwn(or: ["notes.example", "[2001:DB8::7]"]))
    }

    @Test(arguments: [
        "", " ", ":", ":80", "evil.example", "evil.local", "jukebox.internal", "nas.home.arpa",
        "jukebox-of-a-stranger", "evil.localhost", "localhost.evil.example", "localhost..",
        ".localhost", "127.0.0.1.evil.example", "127.0.0.1.", "127.1", "0x7f000001", "2130706433",
        "203.0.113.7", "[2001:db8::8]", "[::1", "::1", "[::1]x", "[::1]:x", "[fe80::1%25lo]",
        "localhost:x", "localhost:70000", "localhost:-1", "user@localhost",
        "localhost, evil.example",
        "localhost/", "localhost\u{0}", "127.0.0.1\u{0}evil.example", "0.0.0.1", "[::2]",
        "localhost\t", "ｌocalhost", "http://localhost",
    ]) func `other names, other addresses and malformed values are not accepted`(host: String) {
        #expect(!HostField(host).isOwn(or: ["notes.example"]))
    }

    @Test func `the host name is accepted, also with .local`() throws {
        let name = try #require(hostName())
        let label = try #require(name.split(separator: ".").first)
        for own in [name, name.uppercased(), String(label), "\(label).local:4985"] {
            #expect(HostField(own).isOwn())
        }
    }
}
