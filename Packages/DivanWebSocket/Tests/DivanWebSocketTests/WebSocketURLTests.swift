import DivanWebSocket
import Testing

@Suite struct WebSocketURLTests {
    @Test(arguments: [
        ("wss://h/db", "wss://h:443/db/_blipsync", "h", "db"),
        ("ws://h/db/", "ws://h:80/db/_blipsync", "h", "db"),
        ("WSS://h:4984/a/b/travel", "wss://h:4984/a/b/travel/_blipsync", "h:4984", "travel"),
        ("ws://h:443/db", "ws://h:443/db/_blipsync", "h", "db"),
        ("wss://[::1]:4985/db", "wss://[::1]:4985/db/_blipsync", "[::1]:4985", "db"),
        (
            "ws://[fe80::1%25eth0]/db", "ws://[fe80::1%25eth0]:80/db/_blipsync", "[fe80::1]", "db"
        ),
        (
            "ws://127.0.0.1:59840/Mein_db", "ws://127.0.0.1:59840/Mein_db/_blipsync",
            "127.0.0.1:59840", "Mein_db"
        ),
    ])
    func `returns the URL text that identifies checkpoints`(
        text: String,
        effective: String,
        host: String,
        database: String
    ) throws {
        let url = try WebSocketURL(text)
        #expect(url.effectiveText == effective)
        #expect(url.endpoint.hostHeader == host)
        #expect(url.database == database)
    }

    @Test(
        arguments: [
            ("http://h/db", .scheme), ("h/db", .scheme), ("", .scheme),
            ("wss://user:secret@h/db", .credentials), ("wss://user@h/db", .credentials),
            ("wss://h", .database), ("wss://h/", .database), ("wss://h//", .database),
            ("wss:///db", .host), ("wss://:80/db", .host), ("wss://h:0/db", .host),
            ("wss://h:65536/db", .host), ("wss://h:+1/db", .host),
            ("wss://h:99999999999999999999/db", .host),
            ("wss://::1/db", .host), ("wss://[::1/db", .host), ("wss://[h]/db", .host),
            ("wss://[::1]x/db", .host), ("wss://h/db?x=1", .query), ("wss://h/db#x", .query),
            ("wss://h/db/_blipsync", .endpointPath), ("wss://h/d b", .character),
            ("wss://h/d\r\nb", .character), ("wss://h/dä", .character),
        ] as [(String, WebSocketURLError.Part)]
    )
    func `reports which part is invalid`(text: String, part: WebSocketURLError.Part) {
        let error = #expect(throws: WebSocketURLError.self) { try WebSocketURL(text) }
        #expect(error?.part == part)
    }

    @Test
    func `keeps the zone of an address for the lookup but not for the certificate`() throws {
        let zoned = try WebSocketEndpoint("wss://[fe80::1%25eth0]:1/db")
        #expect(zoned.lookupName == "fe80::1%eth0")
        #expect(zoned.certificateName == "fe80::1")
        let named = try WebSocketEndpoint("wss://example.com/db")
        #expect(named.lookupName == "example.com")
        #expect(named.certificateName == "example.com")
    }

    @Test
    func `an error does not contain the password`() {
        let error = #expect(throws: WebSocketURLError.self) {
            try WebSocketURL("wss://user:secret@h/db")
        }
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: [
        ("wss", "/other", "wss://h:4984/other"),
        ("wss", "https://x/y", "wss://x:443/y"),
        ("ws", "HTTPS://x/y", "wss://x:443/y"),
        ("ws", "http://x:81/y?z=1", "ws://x:81/y?z=1"),
        ("ws", "HTTP://x", "ws://x:80/"),
    ])
    func `follows a valid redirect`(scheme: String, location: String, target: String) throws {
        let endpoint = try WebSocketEndpoint("\(scheme)://h:4984/db/_blipsync")
        #expect(endpoint.redirected(to: location)?.description == target)
    }

    @Test(arguments: [
        ("wss://h/again", true), ("wss://h/x", true), ("wss://H:1/x", true), ("ws://h/x", false),
        ("wss://other/x", false), ("wss://h.other/x", false),
    ])
    func `credentials are kept only on a redirect to the same host with the same security`(
        place: String,
        follow: Bool
    ) throws {
        let endpoint = try WebSocketEndpoint("wss://h:4984/db/_blipsync")
        #expect(try WebSocketEndpoint(place).maySee(secretsFor: endpoint) == follow)
    }

    @Test(arguments: [
        "", "other", "//x/y", "ftp://x/y", "ws://x/y", "/a b", "http://a@x/", "/\r\nX: y",
        "http://h:4984/db", "HTTP://x",
    ])
    func `refuses an invalid redirect`(location: String) throws {
        let endpoint = try WebSocketEndpoint("wss://h:4984/db/_blipsync")
        #expect(endpoint.redirected(to: location) == nil)
    }

    @Test(arguments: ["wss://u:s3cret@\u{301}h/db", "wss://\u{301}u:s3cret@h/d b"])
    func `no error contains a password, even next to a combining character`(text: String) {
        let error = #expect(throws: WebSocketURLError.self) { try WebSocketURL(text) }
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }
}
