import DivanAuth
import DivanTestKit
import Testing

/// Cookies are stored, matched, renewed and kept as in `websocket-and-urls.md` §8.
@Suite struct CookieJarTests {
    /// 2026-11-20 07:00:00 UTC.
    let now: Int64 = 1_795_158_000
    let gateway = CookieJar.Location(
        host: "sync.example.org",
        path: "/db/_blipsync",
        isSecure: true
    )

    func jar(_ cookies: String..., parents: Bool = false) -> CookieJar {
        var jar = CookieJar(acceptsParentDomains: parents)
        for cookie in cookies { jar.receive(cookie, from: gateway, at: now) }
        return jar
    }

    func location(_ host: String, _ path: String = "/db/_blipsync") -> CookieJar.Location {
        CookieJar.Location(host: host, path: path, isSecure: true)
    }

    @Test func `the session renewed by Sync Gateway is sent back`() {
        // As recorded, with the day of this test.
        let header = "SyncGatewaySession=81361e; Path=/db; Expires=Fri, 20 Nov 2026 07:04:41 GMT"
        let jar = jar(header)
        #expect(jar.cookies.first?.expires == now + 281)
        #expect(jar.header(for: gateway, at: now) == "SyncGatewaySession=81361e")
        #expect(jar.header(for: gateway, at: now + 281) == nil)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Sun, 6-nov-1994 8:49:37 GMT", "1994 Nov 6 08:49:37",
    ])
    func `dates are parsed in every common format`(date: String) {
        var jar = CookieJar()
        jar.receive("a=b; Expires=\(date)", from: gateway, at: 0)
        #expect(jar.cookies.first?.expires == 784_111_777)
    }

    @Test(arguments: ["", "tomorrow", "32 Nov 2030 08:00:00", "6 Nov 2030", "6 Nov 2030 25:00:00"])
    func `a cookie with an invalid date is kept until the process ends`(date: String) {
        let jar = jar("a=b; Expires=\(date)")
        #expect(jar.cookies.count == 1 && jar.cookies[0].expires == nil)
    }

    @Test(arguments: [
        ("a=b; Max-Age=60; Expires=Sun, 06 Nov 1994 08:49:37 GMT", 60),
        ("a=b; Expires=Sun, 06 Nov 1994 08:49:37 GMT; Max-Age=60", 60),
        ("a=b; max-age=9223372036854775807", Int64.max),
    ])
    func `Max-Age takes precedence over Expires`(header: String, seconds: Int64) {
        let expected = seconds == Int64.max ? Int64.max : now + seconds
        #expect(jar(header).cookies.first?.expires == expected)
    }

    @Test(arguments: ["Max-Age=0", "Max-Age=-9223372036854775808", "Expires=1 Jan 1970 00:00:00"])
    func `an expiry in the past removes the cookie`(attribute: String) {
        #expect(jar("a=b", "c=d", "a=; \(attribute)").header(for: gateway, at: now) == "c=d")
    }

    @Test func `a cookie replaces the one with the same name, domain and path`() {
        let jar = jar("a=1", "a=2; Path=/db", "a=3; Path=/", "A=4")
        #expect(jar.header(for: gateway, at: now) == "a=2; A=4; a=3")
    }

    @Test(arguments: [
        ("a=b", "a=b"), ("a=\"b c\"", "a=b c"), (" a = b ", "a=b"), ("a=", "a="),
        ("a=b=c", "a=b=c"), ("a=\"", "a=\""),
    ])
    func `quotes and spaces around a value are removed`(header: String, sent: String) {
        #expect(jar(header).header(for: gateway, at: now) == sent)
    }

    @Test(arguments: [
        "", "a", "=b", "a b=c", "ä=b", "a=b\u{0}", "a=b\r\nX: y",
        "a=b; Path=/d\tb", "a=b; Domain=x\t.sync.example.org",
        "a=" + String(repeating: "b", count: 4_096),
    ])
    func `a malformed cookie is ignored`(header: String) {
        #expect(jar(header).cookies == [])
    }

    @Test(arguments: [
        ("/db/_blipsync", true), ("/db", true), ("/db/x/y", true), ("/dbx", false), ("/", false),
        ("", false),
    ])
    func `a path matches by whole components`(path: String, isSent: Bool) {
        let header = jar("a=b; Path=/db").header(for: location("sync.example.org", path), at: now)
        #expect((header != nil) == isSent)
    }

    @Test func `without a path a cookie gets the directory of the request`() {
        #expect(jar("a=b").cookies.first?.path == "/db")
        #expect(jar("a=b; Path=relative").cookies.first?.path == "/db")
    }

    @Test func `without a domain a cookie is sent only to its host`() {
        let jar = jar("a=b")
        #expect(jar.header(for: location("SYNC.example.org"), at: now) == "a=b")
        #expect(jar.header(for: location("x.sync.example.org"), at: now) == nil)
        #expect(jar.header(for: location("example.org"), at: now) == nil)
    }

    @Test func `with a domain a cookie is also sent to subdomains`() {
        let jar = jar("a=b; Domain=.Sync.Example.org")
        #expect(jar.header(for: location("sync.example.org"), at: now) == "a=b")
        #expect(jar.header(for: location("x.sync.example.org"), at: now) == "a=b")
        #expect(jar.header(for: location("xsync.example.org"), at: now) == nil)
    }

    @Test(arguments: [
        ("sync.example.org", false, true), ("x.sync.example.org", false, false),
        ("x.sync.example.org", true, false),
        ("example.org", false, false), ("example.org", true, true), ("org", true, false),
        ("other.org", true, false), ("ync.example.org", true, false),
    ])
    func `a parent domain is accepted only if allowed`(domain: String, parents: Bool, isKept: Bool)
    {
        let jar = jar("a=b; Domain=\(domain)", parents: parents)
        #expect((jar.cookies.count == 1) == isKept)
    }

    @Test(arguments: ["10.0.0.1", "fe80::1"])
    func `an IP address has no parent domain`(host: String) {
        var jar = CookieJar(acceptsParentDomains: true)
        jar.receive("a=b; Domain=0.0.1", from: location(host), at: now)
        #expect(jar.cookies == [])
        jar.receive("a=b; Domain=\(host)", from: location(host), at: now)
        #expect(jar.header(for: location("[\(host)]"), at: now) == "a=b")
    }

    @Test func `a secure cookie is not sent without TLS`() {
        let clear = CookieJar.Location(host: gateway.host, path: gateway.path, isSecure: false)
        let jar = jar("a=b; Secure", "c=d")
        #expect(jar.header(for: clear, at: now) == "c=d")
        #expect(jar.header(for: gateway, at: now) == "a=b; c=d")
    }

    @Test func `configured cookies follow stored ones and replace those with the same name`() {
        let jar = jar("a=1", "SyncGatewaySession=old")
        let configured = "SyncGatewaySession=new; b=2"
        let header = jar.header(for: gateway, at: now, beside: configured)
        #expect(header == "a=1; SyncGatewaySession=new; b=2")
        #expect(CookieJar().header(for: gateway, at: now, beside: "x=y") == "x=y")
    }

    @Test func `a full jar removes the oldest cookie`() {
        var jar = CookieJar()
        for number in 0...AuthLimits.cookieCount {
            jar.receive("c\(number)=x", from: gateway, at: now)
        }
        #expect(jar.cookies.count == AuthLimits.cookieCount)
        #expect(jar.cookies.first?.name == "c1")
    }

    @Test func `cookies with an expiry are restored from their encoding`() throws {
        let jar = jar(
            "a=\"1 2\"; Max-Age=60",
            "b=2; Max-Age=60; Secure; Domain=sync.example.org; Path=/x",
            "gone=3"
        )
        let read = try CookieJar(decoding: jar.encoded().span)
        #expect(read.cookies == Array(jar.cookies.prefix(2)))
        #expect(try CookieJar(decoding: CookieJar().encoded().span).cookies == [])
    }

    @Test(arguments: UInt64(0)..<500)
    func `damaged bytes are decoded or refused, and never trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bytes = jar("a=1; Max-Age=60", "b=2; Max-Age=60; Secure").encoded()
        let damaged = Int.random(in: bytes.indices, using: &generator)
        bytes[damaged] = UInt8.random(in: 0...255, using: &generator)
        bytes.removeLast(Int.random(in: 0...3, using: &generator))
        do {
            let read = try CookieJar(decoding: bytes.span)
            #expect(read.cookies.count <= 3, "seed \(seed)")
        } catch {
            #expect("\(error)".hasPrefix("stored cookies: cannot read line "), "seed \(seed)")
        }
    }

    @Test func `a description hides the values`() {
        let jar = jar("a=planted-secret")
        var dumped = ""
        dump(jar, to: &dumped)
        #expect(!"\(jar) \(String(reflecting: jar)) \(dumped)".contains("planted-secret"))
    }
}
