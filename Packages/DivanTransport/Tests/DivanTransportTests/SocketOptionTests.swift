import DivanPlatform
import DivanTransport
import Testing

/// The options that the sockets of a connection get.
@Suite(.timeLimit(.minutes(5))) struct SocketOptionTests {
    @Test func `both ends send small messages without delay and time out on a silent peer`()
        async throws
    {
        let server = try TestServer()
        let transport = client(port: server.port)
        let recorder = Recorder()
        transport.start(recorder)
        await recorder.wait { $0.peer != nil }
        let client = try #require(socket { $0.peer == server.port })
        let accepted = try #require(socket { $0.own == server.port && $0.peer != nil })
        for end in [client, accepted] {
            #expect(end.option(.noDelay) == 1)
            let patience = TransportLimits().stallTimeout / .milliseconds(1)
            #expect(end.option(.userTimeout) == Int32(patience))
        }
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }
}
