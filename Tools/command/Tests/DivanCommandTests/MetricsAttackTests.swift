import DivanTestKit
import Foundation
import Testing

/// The monitor's port is open to every local user: none of them can keep a monitor away.
@Suite(.timeLimit(.minutes(5))) struct MetricsAttackTests {
    private let shell: Shell
    private let server: Peer
    private let port: Int

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        server = try shell.serve("a", "--no-tls", "--metrics-port", "0")
        let event = try server.event(named: "listening")
        let place = try #require(event["metrics"] as? String)
        port = try #require(URL(string: place)?.port)
    }

    private func ask(_ text: String) throws -> String { try LoopbackClient(port: port).ask(text) }

    private func expectHealth() throws {
        #expect(
            try ask("GET /_health HTTP/1.1\r\nHost: localhost\r\n\r\n").contains(
                "\"status\":\"ok\""
            )
        )
    }

    @Test func `silent connections do not block other clients`() throws {
        let silent = try (0..<60).map { _ in try LoopbackClient(port: port) }
        for _ in 0..<20 {
            let begin = ContinuousClock.now
            try expectHealth()
            // Each silent connection has a timeout of five seconds: no request waited for that.
            #expect(ContinuousClock.now - begin < .seconds(4))
        }
        withExtendedLifetime(silent) {}
        server.stop()
    }

    @Test func `thousands of requests are answered one after another`() throws {
        for number in 0..<2000 {
            let path = number % 2 == 0 ? "/metrics" : "/_health"
            #expect(try ask("GET \(path) HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
        server.stop()
    }

    @Test(arguments: [
        ("POST /metrics HTTP/1.0\r\n\r\n", 405),
        ("DELETE /_health HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        ("CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505), ("\u{16}\u{3}\u{1}\u{0}\n\n", 400),
        ("GET /%2e%2e/etc/passwd HTTP/1.0\r\n\r\n", 404), ("GET /metrics\r\n\r\n", 400),
        ("\r\n\r\n\u{1}\r\n\r\n", 400), ("get /metrics HTTP/1.0\r\n\r\n", 405),
        ("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        ("GET /metrics HTTP/1.1\r\nHost: \r\n\r\n", 421),
        ("GET /metrics HTTP/1.1\r\n\r\n", 400), ("GET /metrics HTTP/1.0\n\n", 400),
        ("GET /metrics HTTP/1.0\r\nX: \(String(repeating: "x", count: 7000))\r\n\r\n", 200),
        ("GET /metrics HTTP/1.1\r\nX: \(String(repeating: "x", count: 9000))", 431),
        ("GET /\(String(repeating: "x", count: 9000))", 431),
    ])
    func `invalid requests are answered and later ones served`(
        _ text: String,
        _ status: Int
    ) throws {
        let answer = try ask(text)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        try expectHealth()
        server.stop()
    }

    @Test func `serve disables core dumps`() throws {
        let place = "/proc/\(server.process.processIdentifier)"
        let filter = try String(contentsOfFile: "\(place)/coredump_filter", encoding: .utf8)
        #expect(Int(filter.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16) == 0)
        let limits = try String(contentsOfFile: "\(place)/limits", encoding: .utf8)
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(line?.split(separator: " ").dropFirst(4).first == "0", "\(line ?? "")")
        server.stop()
    }
}
