import DivanTestKit
import Testing

/// A server's answers are read unchanged.
@Suite(.timeLimit(.minutes(5))) struct HTTPTestClientTests {
    @Test func `bodies are read by length and in chunks`() throws {
        let server = try HandshakeServer(answers: [
            "HTTP/1.1 200 OK\r\nX-Y: z\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2\r\nab\r\nA\r\n0123456789\r\n0\r\n\r\n",
            HandshakeServer.answer("404 Not Found"),
        ])
        let whole = try HTTPTestClient(port: server.port).ask("GET", "/a", "X: y")
        #expect(whole.status == 200 && whole.text == "abc")
        #expect(whole.field("x-y") == "z" && whole.field("Y") == nil)
        #expect(server.field("X") == "y" && server.field("Host") == "localhost")
        #expect(try HTTPTestClient(port: server.port).ask("GET", "/").text == "ab0123456789")
        let client = try HTTPTestClient(port: server.port)
        #expect(try client.ask("HEAD", "/", naming: "Host: h").status == 404)
        #expect(client.isAtEnd())
    }

    @Test func `a connection that ends too early is an error`() throws {
        let server = try HandshakeServer(answers: ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"]
        )
        let client = try HTTPTestClient(port: server.port)
        #expect(throws: HTTPTestClient.Failure.self) { try client.ask("GET", "/") }
    }
}
