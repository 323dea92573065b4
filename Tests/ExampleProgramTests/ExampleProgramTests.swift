import DivanTestKit
import Testing

/// The example programs against each other, as processes over 127.0.0.1.
@Suite(.timeLimit(.minutes(5))) struct ExampleProgramTests {
    @Test func `websocket-echo echoes messages`() throws {
        let server = try Server("websocket-echo", "serve")
        let address = server.address()
        let long = String(repeating: "ž", count: 20_000)
        let outcome = try Program.built("websocket-echo").run([
            "send", address, "hello", "wörld", long,
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "hello\nwörld\n\(long)\n")
    }

    @Test func `websocket-echo echoes messages over TLS if the certificate is trusted`() throws {
        let server = try Server("websocket-echo", "serve", "--tls")
        let address = server.address()
        #expect(address.hasPrefix("wss://"))
        let outcome = try Program.built("websocket-echo").run([
            "send", "--self-signed", address, "hello",
        ])
        #expect(outcome.output == "hello\n", "\(outcome.errors)")

        let refused = try Program.built("websocket-echo").run(["send", address, "hello"])
        #expect(refused.status == 1 && refused.output == "")
        #expect(refused.errors.contains("certificate signed by an unknown authority"))
    }

    @Test func `blip-echo echoes messages`() throws {
        let server = try Server("blip-echo", "serve")
        let address = server.address()
        let long = String(repeating: "divan ", count: 20_000)
        let outcome = try Program.built("blip-echo").run(["ask", address, "one", "two", long])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let answers = Set(outcome.output.split(separator: "\n").map(String.init))
        #expect(answers == ["one", "two", long], "in any order")
    }

    @Test func `blip-echo rejects a client without its subprotocol`() throws {
        let server = try Server("blip-echo", "serve")
        let outcome = try Program.built("websocket-echo").run(["send", server.address(), "hello"])
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains(
                #"refused the connection with HTTP 400 ("offer the subprotocol BLIP_3+Echo")"#
            )
        )
    }

    @Test func `tls-probe shows a server's TLS versions and why it is not trusted`() throws {
        let server = try Server("websocket-echo", "serve", "--tls")
        let address = server.address()
        let place = address.dropFirst("wss://".count).dropLast()
        let outcome = try Program.built("tls-probe").run([String(place)])
        #expect(outcome.status == 2, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "TLS 1.3: yes, TLS_AES_128_GCM_SHA256")
        #expect(lines.dropFirst().first?.hasPrefix("TLS 1.2: yes, ECDHE-RSA-") == true)
        #expect(lines.contains("  subject  CN=echo"))
        #expect(lines.contains("  issuer   itself"))
        #expect(lines.contains { $0.hasPrefix("  SHA-256  ") && $0.count >= 11 + 64 })
        #expect(lines.last?.hasPrefix("refused: Network/11, TLS to 127.0.0.1: ") == true)
    }

    @Test func `tls-probe recognizes a server without TLS`() throws {
        let server = try Server("websocket-echo", "serve")
        let address = server.address()
        let place = address.dropFirst("ws://".count).dropLast()
        let outcome = try Program.built("tls-probe").run([String(place)])
        #expect(outcome.status == 2)
        #expect(outcome.output.hasPrefix("TLS 1.3: no, "))
        #expect(outcome.output.contains("plain HTTP, not TLS"))
    }

    @Test(arguments: ["websocket-echo", "blip-echo", "tls-probe"])
    func `--help prints the usage`(program: String) throws {
        let outcome = try Program.built(program).run(["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("usage: \(program) "))
        #expect(outcome.errors == "")
    }

    @Test(
        arguments: [
            (["websocket-echo"], "serve or send?"),
            (["websocket-echo", "sing"], "no verb “sing”"),
            (["websocket-echo", "serve", "99999"], "“99999” is no port"),
            (["websocket-echo", "serve", "--fast"], "no option “--fast” for serve"),
            (["websocket-echo", "send", "ws://127.0.0.1:1/"], "a URL and one or more texts"),
            (["blip-echo"], "serve or ask?"),
            (["blip-echo", "serve", "http"], "“http” is no port"),
            (["blip-echo", "ask"], "a URL and one or more texts"),
            (["tls-probe"], "one HOST:PORT?"),
            (["tls-probe", "127.0.0.1:0x1"], "one HOST:PORT?"),
            (["tls-probe", "a:1", "b:2"], "one HOST:PORT?"),
        ] as [([String], String)]
    )
    func `a usage error is explained`(words: [String], problem: String) throws {
        let outcome = try Program.built(words[0]).run(Array(words.dropFirst()))
        #expect(outcome.status == 64)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains(problem), "\(outcome.errors)")
        #expect(outcome.errors.contains("usage: "))
    }

    @Test func `an error prints a line and sets the exit status`() throws {
        let url = try Program.built("websocket-echo").run(["send", "http://127.0.0.1:1/", "hello"])
        #expect(url.status == 1)
        #expect(url.errors.contains("begin with wss:// or ws://"))
        let server = try Server("blip-echo", "serve")
        let port = server.address().split(separator: ":").last?.dropLast()
        let taken = try Program.built("websocket-echo").run(["serve", String(port ?? "")])
        #expect(taken.status == 1)
        #expect(taken.errors.contains("choose another port"), "\(taken.errors)")
    }

    @Test func `tls-probe reports a refused connection`() throws {
        let outcome = try Program.built("tls-probe").run(["127.0.0.1:1"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("Connection refused"))
    }
}

/// An example program that listens until it is released.
private struct Server {
    private let program: RunningProgram
    private let greeting: String

    init(_ name: String, _ words: String...) throws {
        program = try Program.built(name).start(words, errors: .discarded)
        greeting = try program.line()
    }

    /// The URL on which the program says it listens.
    func address() -> String {
        #expect(greeting.hasPrefix("listening on "))
        return String(greeting.dropFirst("listening on ".count))
    }
}
