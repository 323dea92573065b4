import DivanTestKit
import Foundation
import Testing

/// Errors between two programs: one line with the cause, another with the remedy, and the right exit code.
@Suite struct RefusalTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("put", "a", "one", "{}")
        try shell.run("new", "b")
        try shell.write("secret.txt", "open sesame\n")
        try shell.write("wrong.txt", "open barley\n")
    }

    private func expect(
        _ outcome: Program.Outcome,
        _ status: Int32,
        _ words: String...,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: location)
        let line = outcome.complaints.last { $0.hasPrefix("divan: ") } ?? ""
        let hints = outcome.complaints.filter { $0.hasPrefix("hint: ") }
        for word in words {
            #expect(
                ([line] + hints).contains { $0.localizedCaseInsensitiveContains(word) },
                "\(outcome.errors)",
                sourceLocation: location
            )
        }
    }

    private func serve(_ options: String...) throws -> (peer: Peer, url: String) {
        let words = ["serve", "a", "--interface", "127.0.0.1", "--write-certificate", "a.pem"]
        let peer = try shell.start(words + options)
        return (peer, try peer.url())
    }

    @Test func `a wrong password is rejected`() throws {
        let (peer, url) = try serve("--user", "ali", "--password-file", "secret.txt")
        let common = ["pull", "b", url, "--pin", "a.pem"]
        expect(try shell.divan(common), 7, "password")
        expect(
            try shell.divan(common + ["--user", "ali", "--password-file", "wrong.txt"]),
            7,
            "password"
        )
        expect(
            try shell.divan(common + ["--user", "baba", "--password-file", "secret.txt"]),
            7,
            "password"
        )
        let outcome = try shell.divan(common + ["--user", "ali", "--password-file", "secret.txt"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        peer.stop()
    }

    @Test func `a password on the command line causes a warning`() throws {
        let (peer, url) = try serve("--user", "ali", "--password-file", "secret.txt")
        let outcome = try shell.divan(
            "pull",
            "b",
            url,
            "--pin",
            "a.pem",
            "--user",
            "ali:open sesame"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("warning: a password on the command line"))
        peer.stop()
    }

    @Test func `a wrong pin is rejected`() throws {
        let other = try shell.start([
            "serve", "b", "--interface", "127.0.0.1", "--write-certificate", "b.pem",
        ])
        _ = try other.url()
        other.stop()
        let (peer, url) = try serve()
        expect(try shell.divan("pull", "b", url, "--pin", "b.pem"), 7, "certificate")
        peer.stop()
    }

    @Test func `a self-signed certificate is rejected without --accept-self-signed`() throws {
        let (peer, url) = try serve()
        expect(try shell.divan("pull", "b", url), 7, "certificate")
        let outcome = try shell.divan("pull", "b", url, "--accept-self-signed")
        #expect(outcome.status == 0, "\(outcome.errors)")
        peer.stop()
    }

    @Test func `a URL without TLS for a TLS port is reported`() throws {
        let (peer, url) = try serve()
        let clear = url.replacingOccurrences(of: "wss://", with: "ws://")
        expect(try shell.divan("pull", "b", clear), 6, "wss")
        peer.stop()
    }

    @Test func `a TLS URL for a port without TLS is reported`() throws {
        let (peer, url) = try serve("--no-tls")
        let secret = url.replacingOccurrences(of: "ws://", with: "wss://")
        let outcome = try shell.divan("pull", "b", secret, "--accept-self-signed")
        #expect([6, 7].contains(outcome.status), "\(outcome.errors)")
        expect(outcome, outcome.status, "TLS")
        peer.stop()
    }

    @Test func `an unknown host is reported`() throws {
        expect(
            try shell.divan("pull", "b", "ws://no-such-host.invalid/a"),
            6,
            "no-such-host.invalid"
        )
    }

    @Test func `a refused connection is reported`() throws {
        let (peer, url) = try serve("--no-tls")
        peer.stop()
        expect(try shell.divan("pull", "b", url), 6, "refused")
    }

    @Test func `a database that the peer does not serve is reported`() throws {
        let (peer, url) = try serve("--no-tls")
        let outcome = try shell.divan("pull", "b", url.dropLast() + "zzz")
        expect(outcome, 3, "zzz")
        peer.stop()
    }

    @Test func `a collection that the peer does not share is reported`() throws {
        let (peer, url) = try serve("--no-tls")
        expect(try shell.divan("pull", "b", url, "--collections", "geo.secret"), 3, "geo.secret")
        peer.stop()
    }

    @Test func `a push to a read-only peer is rejected, a pull works`() throws {
        try shell.run("put", "b", "mine", "{}")
        let (peer, url) = try serve("--no-tls", "--read-only")
        expect(try shell.divan("push", "b", url), 7)
        let outcome = try shell.divan("pull", "b", url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        peer.stop()
        #expect(try shell.run("ls", "a").output == "one\n")
    }

    @Test func `a listener names the cause if the databases name revisions differently`() throws {
        try shell.run("upgrade", "b", "--yes")
        let (peer, url) = try serve("--no-tls")
        #expect(try shell.divan("pull", "b", url).status != 0)
        let reason = try peer.event(named: "refused")["reason"] as? String ?? ""
        #expect(reason.contains("this database uses revision trees"), "\(reason)")
        peer.stop()
    }

    @Test func `a value that must be encrypted is reported with the side without a key`() throws {
        try shell.run("put", "a", "sealed", #"{"f":{"@type":"encryptable","value":"s"}}"#)
        let (peer, url) = try serve("--no-tls")
        let pull = try shell.divan("pull", "b", url)
        #expect(pull.status == 8 && pull.errors.contains("the peer needs an encryptor"))
        #expect(!pull.errors.contains("permissions"), "\(pull.errors)")
        try shell.run("put", "b", "own", #"{"f":{"@type":"encryptable","value":"s"}}"#)
        #expect(try shell.divan("push", "b", url).status == 8)
        let pending = try shell.divan("pending", "b", url)
        #expect(pending.output.contains("documentPropertyEncryptor"), "\(pending)")
        #expect(!pending.output.contains("peer's log"), "\(pending.output)")
        peer.stop()
    }

    @Test func `a pull of all collections does not suggest to sync all`() throws {
        try shell.run("collections", "a", "--make", "geo.places")
        try shell.run("put", "a", "rome", "{}", "-c", "geo.places")
        let (peer, url) = try serve("--no-tls")
        let outcome = try shell.divan("pull", "b", url)
        outcome.expectSuccess()
        peer.stop()
        #expect(try shell.run("ls", "b", "-c", "geo.places").output == "rome\n")
        #expect(!outcome.errors.contains("also shares"), "\(outcome.errors)")
    }

    @Test func `a port in use is reported`() throws {
        let (peer, url) = try serve()
        let port = try #require(URL(string: url)?.port)
        expect(
            try shell.divan("serve", "b", "--interface", "127.0.0.1", "--port", "\(port)"),
            1,
            "\(port)",
            "in use"
        )
        peer.stop()
    }

    @Test(arguments: ["http://localhost/a", "wss://user:pass@localhost/a", "localhost/a", "ws://"])
    func `an unsupported URL is rejected`(_ url: String) throws {
        let outcome = try shell.divan("pull", "b", url)
        #expect(outcome.status == 2 && outcome.complaints.count == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("ws"), "\(outcome.errors)")
    }

    @Test func `serve uses an identity from a file`() throws {
        let openssl = try #require(Program.installed("openssl"))
        let made = try openssl.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-subj", "/CN=robot", "-days", "30",
            "-keyout", shell.path("key.pem"), "-out", shell.path("cert.pem"),
        ])
        #expect(made.status == 0, "\(made)")
        let key = try String(contentsOfFile: shell.path("key.pem"), encoding: .utf8)
        let certificate = try String(contentsOfFile: shell.path("cert.pem"), encoding: .utf8)
        try shell.write("identity.pem", certificate + key)
        let (peer, url) = try serve("--identity", "identity.pem")
        let outcome = try shell.divan("pull", "b", url, "--pin", "cert.pem")
        #expect(outcome.status == 0, "\(outcome.errors)")
        peer.stop()
    }

    @Test func `no password is printed`() throws {
        let (peer, url) = try serve("--user", "ali", "--password-file", "secret.txt")
        let outcome = try shell.divan(
            "pull",
            "b",
            url,
            "--pin",
            "a.pem",
            "--user",
            "ali",
            "--password-file",
            "wrong.txt"
        )
        #expect(!outcome.errors.contains("barley") && !outcome.output.contains("barley"))
        peer.stop()
    }
}
