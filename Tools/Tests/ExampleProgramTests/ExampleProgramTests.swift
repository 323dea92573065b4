import Foundation
import Testing

/// The example programs against each other, as processes over 127.0.0.1.
@Suite(.timeLimit(.minutes(1))) struct ExampleProgramTests {
    @Test func `websocket-echo talks with itself`() throws {
        let server = try Program(serving: "websocket-echo", "serve")
        let address = try server.address()
        let long = String(repeating: "ž", count: 20_000)
        let outcome = try Program.run("websocket-echo", "send", address, "hello", "wörld", long)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "hello\nwörld\n\(long)\n")
    }

    @Test func `websocket-echo talks with itself over TLS, when it is trusted`() throws {
        let server = try Program(serving: "websocket-echo", "serve", "--tls")
        let address = try server.address()
        #expect(address.hasPrefix("wss://"))
        let outcome = try Program.run("websocket-echo", "send", "--self-signed", address, "hello")
        #expect(outcome.output == "hello\n", "\(outcome.errors)")

        let refused = try Program.run("websocket-echo", "send", address, "hello")
        #expect(refused.status == 1 && refused.output == "")
        #expect(refused.errors.contains("not trusted"))
    }

    @Test func `blip-echo talks with itself`() throws {
        let server = try Program(serving: "blip-echo", "serve")
        let address = try server.address()
        let long = String(repeating: "divan ", count: 20_000)
        let outcome = try Program.run("blip-echo", "ask", address, "one", "two", long)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let answers = Set(outcome.output.split(separator: "\n").map(String.init))
        #expect(answers == ["one", "two", long], "in any order")
    }

    @Test func `blip-echo refuses who does not speak its protocol`() throws {
        let server = try Program(serving: "blip-echo", "serve")
        let outcome = try Program.run("websocket-echo", "send", try server.address(), "hello")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("refused with 400, “BLIP_3+Echo”"))
    }

    @Test func `tls-probe shows a server and says why it would be refused`() throws {
        let server = try Program(serving: "websocket-echo", "serve", "--tls")
        let address = try server.address()
        let place = address.dropFirst("wss://".count).dropLast()
        let outcome = try Program.run("tls-probe", String(place))
        #expect(outcome.status == 2, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "TLS 1.3: yes, TLS_AES_128_GCM_SHA256")
        #expect(lines.dropFirst().first?.hasPrefix("TLS 1.2: yes, ECDHE-RSA-") == true)
        #expect(lines.contains("  subject  CN=echo"))
        #expect(lines.contains("  issuer   itself"))
        #expect(lines.contains { $0.hasPrefix("  SHA-256  ") && $0.count >= 11 + 64 })
        #expect(lines.last?.hasPrefix("refused: Network/11, TLS to 127.0.0.1: ") == true)
    }

    @Test func `tls-probe tells what is no TLS`() throws {
        let server = try Program(serving: "websocket-echo", "serve")
        let address = try server.address()
        let place = address.dropFirst("ws://".count).dropLast()
        let outcome = try Program.run("tls-probe", String(place))
        #expect(outcome.status == 2)
        #expect(outcome.output.hasPrefix("TLS 1.3: no, "))
        #expect(outcome.output.contains("HTTP without TLS"))
    }

    @Test(arguments: [["nonsense"], ["127.0.0.1:0x1"], [], ["a:1", "b:2"]])
    func `tls-probe explains itself`(words: [String]) throws {
        let outcome =
            switch words.count {
            case 0: try Program.run("tls-probe")
            case 1: try Program.run("tls-probe", words[0])
            default: try Program.run("tls-probe", words[0], words[1])
            }
        #expect(outcome.status == 64)
        #expect(outcome.output == "usage: tls-probe HOST:PORT\n")
    }

    @Test func `tls-probe reports a host that is not there`() throws {
        let outcome = try Program.run("tls-probe", "127.0.0.1:1")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("Connection refused"))
    }
}
