import DivanCrypto
import DivanWebSocket
import Testing

@Suite struct ExampleTests {
    @Test
    func `the README's example works`() throws {
        var client = WebSocketConnection(role: .client, random: SystemRandomSource(), now: .zero)
        var server = WebSocketConnection(role: .server, random: SystemRandomSource(), now: .zero)
        client.send(Array("ahoj".utf8).span)

        server.receive(client.takeOutput().span, at: .zero)
        while let event = try server.next() {
            if case .message(let bytes, _) = event { server.send(Array(bytes.reversed()).span) }
        }
        client.receive(server.takeOutput().span, at: .zero)
        let answer = try client.next()
        #expect(answer == .message(Array("joha".utf8)[...], isText: false))
    }
}
