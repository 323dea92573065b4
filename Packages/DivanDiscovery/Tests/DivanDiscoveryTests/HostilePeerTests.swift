import DivanTestKit
import Foundation
import Testing

// The code that reads the daemon's data is internal.
@testable import DivanDiscovery

/// Strangers may announce anything.
@Suite struct HostilePeerTests {
    private static let databases = [
        "a", "a b", "a/b", "../../etc/passwd", "..", ".", "a?x=1#y", "a@evil.example:1/",
        "//evil.example/a", "a\nHost: evil.example", "a\u{0}b", "%2e%2e", "Ångström", "e\u{301}",
        "juke\u{202E}xob", "", String(repeating: "x", count: 255),
    ]

    private static let schemes = ["ws", "wss", "http", "javascript:", "", "wss://evil.example/?"]

    @Test(arguments: HostilePeerTests.databases, HostilePeerTests.schemes)
    func `the URL of a peer contains its address, whatever the peer advertises`(
        database: String,
        scheme: String
    ) throws {
        let peer = DiscoveredPeer(
            name: "jukebox",
            host: "evil.example/x",
            addresses: ["fe80::7%eth0", "10.0.0.7"].sorted(),
            port: 4_984,
            attributes: ["database": database, "scheme": scheme]
        )
        let text = try #require(peer.url)
        #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        let url = try #require(URLComponents(string: text))
        #expect(url.scheme == (scheme == "ws" ? "ws" : "wss"))
        #expect(url.host == "10.0.0.7")
        #expect(url.port == 4_984)
        #expect(url.user == nil && url.query == nil && url.fragment == nil)
        #expect(url.percentEncodedPath.dropFirst().contains("/") == false)
        #expect(Array(url.path.utf8) == Array("/\(database)".utf8))
    }

    @Test(
        arguments: [
            ("jukebox.local", [], "wss://jukebox.local:1/"),
            ("jukebox.local", ["2001:db8::7"], "wss://[2001:db8::7]:1/"),
            ("jukebox.local", ["fe80::7%eth0"], "wss://jukebox.local:1/"),
            ("evil.example/", ["fe80::7%eth0"], "wss://[fe80::7%25eth0]:1/"),
            ("user@evil.example", ["fe80::7%e?#/"], "wss://[fe80::7%25e%3F%23%2F]:1/"),
            ("user:password@evil.example", [], nil), ("a b", [], nil), ("", [], nil),
            ("#", [], nil),
        ] as [(String, [String], String?)]
    )
    func `the URL of a peer uses a valid host name or an address`(
        host: String,
        addresses: [String],
        url: String?
    ) {
        let peer = DiscoveredPeer(name: "jukebox", host: host, addresses: addresses, port: 1)
        #expect(peer.url == url)
    }

    @Test func `without a port there is no URL`() {
        #expect(DiscoveredPeer(name: "jukebox", host: "jukebox.local", port: 0).url == nil)
    }

    @Test func `attributes that exceed one packet are dropped`() {
        let value = [UInt8](repeating: 120, count: 240)
        let longest = (0..<300).map { Array("key\($0)=".utf8) + value }
        let taken = TextRecord(received: longest).attributes
        #expect(taken.count == 5)
        #expect(taken.allSatisfy { $0.key.utf8.count + $0.value.utf8.count < 255 })
        // A string after one that does not fit may fit.
        let more = TextRecord(received: longest + [Array("db=a".utf8)])
        #expect(more.attributes["db"] == "a")
    }

    @Test func `attributes with invalid keys are ignored`() {
        let strings = ["k\u{E9}y=1", "ke\u{301}y=2", "a\nb=3", "a\u{0}b=4", "\u{202E}db=5", "ok=6"]
        let record = TextRecord(received: strings.map { Array($0.utf8) })
        #expect(record.attributes == ["ok": "6"])
    }

    @Test func `only the newest event of a peer is queued while the handler is busy`() {
        let waiting = WaitingEvents()
        let peer = { DiscoveredPeer(name: $0, host: "h", port: $1) }
        #expect(waiting.add(.found(peer("jukebox", 1))))
        for port in 2...UInt16(5_000) { #expect(!waiting.add(.found(peer("jukebox", port)))) }
        // Names that come and go, each of them new.
        for number in 0..<5_000 {
            _ = waiting.add(.found(peer("\(number)", 1)))
            _ = waiting.add(.lost(name: "\(number)"))
        }
        #expect(waiting.count == 1)
        #expect(waiting.take() == [.found(peer("jukebox", 5_000))])

        // The handler knows it by now, so it is told that it went, and that it came again.
        #expect(waiting.add(.lost(name: "jukebox")))
        _ = waiting.add(.found(peer("radio", 2)))
        #expect(waiting.take() == [.lost(name: "jukebox"), .found(peer("radio", 2))])
        #expect(waiting.add(.lost(name: "radio")))
        #expect(!waiting.add(.found(peer("radio", 3))))
        #expect(waiting.take() == [.found(peer("radio", 3))])
    }

    @Test(arguments: UInt64(0)..<200)
    func `random record bytes are parsed safely`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let strings = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
            [UInt8].random(count: Int.random(in: 0...255, using: &generator), using: &generator)
        }
        let taken = TextRecord(received: strings).attributes
        for key in taken.keys {
            #expect(key.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x3D })
            #expect(key == key.lowercased(), "seed \(seed)")
        }
        let peer = DiscoveredPeer(
            name: String(decoding: strings.first ?? [], as: UTF8.self),
            host: String(decoding: strings.last ?? [], as: UTF8.self),
            addresses: ["10.0.0.7"],
            port: 1,
            attributes: ["database": String(decoding: strings.first ?? [], as: UTF8.self)]
        )
        #expect(peer.url.flatMap { URL(string: $0) }?.host() == "10.0.0.7", "seed \(seed)")
    }
}
