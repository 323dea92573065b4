import DivanTestKit
import Foundation
import Testing

/// `divan certs show` and `divan discover`: looking before trusting.
@Suite(.timeLimit(.minutes(5))) struct CertificateCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
    }

    @Test func `certs show prints a server's certificate and how to pin it`() throws {
        let peer = try shell.serve("a", "--write-certificate", "own.pem")
        let url = try #require(URL(string: try peer.url()))
        let place = "127.0.0.1:\(try #require(url.port))"
        let outcome = try shell.divan("certs", "show", place, "--save", "seen.pem")
        outcome.expectFailure(7, "not trusted")
        #expect(outcome.output.contains("TLS 1.3  TLS_"))
        #expect(outcome.output.contains("issuer   itself"))
        #expect(outcome.output.contains("--pin server.pem"))
        #expect(try shell.text("seen.pem") == shell.text("own.pem"))
        try shell.run("pull", "b", url.absoluteString, "--pin", "seen.pem")
        let object = try shell.divan("certs", "show", place, "--json").json()
        #expect(object["trusted"] as? Bool == false)
        #expect((object["certificates"] as? [[String: Any]])?.count == 1)
        peer.stop()
    }

    @Test func `a pin also applies after a redirect`() throws {
        let peer = try shell.serve("a", "--write-certificate", "own.pem")
        defer { peer.stop() }
        let other = try shell.serve("b", "--write-certificate", "other.pem")
        _ = try other.url()
        other.stop()
        let place = try peer.url().replacing("wss:", with: "https:")
        let location = "Location: \(place)/_blipsync"
        let answer = HandshakeServer.answer("307 Temporary Redirect", location)
        func list(_ pin: String) throws -> Program.Outcome {
            let first = try HandshakeServer(answers: [answer])
            let url = "ws://127.0.0.1:\(first.port)/a"
            return try shell.divan("pull", "b", url, "--list-collections", "--pin", pin)
        }
        try list("own.pem").expectSuccess()
        #expect(try list("other.pem").status != 0)
    }

    @Test func `a server without TLS is reported`() throws {
        let peer = try shell.serve("a", "--no-tls")
        let port = try #require(URL(string: try peer.url())?.port)
        try shell.divan("certs", "show", "127.0.0.1:\(port)").expectFailure(
            6,
            "plain HTTP, not TLS"
        )
        peer.stop()
        try shell.divan("certs", "show", "127.0.0.1:\(port)").expectFailure(6, "refused")
        try shell.divan("certs", "show", "no-such-host.invalid:1").expectFailure(6, "no-such-host")
        for text in ["host:", ":1", "host:0", "host:99999"] {
            try shell.divan("certs", "show", text).expectFailure(2, "HOST:PORT")
        }
    }

    @Test func `without an Avahi daemon discover says what to install`() throws {
        let nowhere = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(shell.path("no-bus"))"]
        try shell.divan(["discover"], environment: nowhere).expectFailure(6, "avahi-daemon")
        try shell.divan(["discover", "--seconds", "x"]).expectFailure(2, "--seconds")
    }
}
