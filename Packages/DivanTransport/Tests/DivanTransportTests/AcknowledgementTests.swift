import DivanPlatform
import DivanTransport
import Testing

/// A peer that leaves Nagle's algorithm on waits for our acknowledgements (Sync Gateway does).
@Suite(.timeLimit(.minutes(5))) struct AcknowledgementTests {
    private func acknowledgesAtOnce(_ socket: Socket) -> Bool {
        socket.option(.quickAcknowledgement) == 1
    }

    /// During a conversation the system learns to delay acknowledgements until a message is sent.
    ///
    /// When none is, we must tell it to acknowledge what was read.
    @Test(arguments: [false, true])
    func `data that gets no reply is acknowledged immediately, or after a pause`(
        pauses: Bool
    ) async throws {
        let server = try TestServer(echoes: false)
        let transport = client(port: server.port)
        let question: UInt8 = 1
        let recorder = Recorder(onMessage: { message in
            if message.first == question { return transport.send([question].span) }
            if pauses { transport.setReadingPaused(true) }
        })
        transport.start(recorder)
        await recorder.wait { $0.peer != nil }
        while server.connections.all.isEmpty { await Task.yield() }
        let accepted = try #require(server.connections.all.first)
        for count in 1...20 {
            await onLoop(accepted.transport) { accepted.transport.send([question].span) }
            await accepted.recorder.wait { $0.messageCount == count }
        }
        let own = try #require(socket { $0.peer == server.port })
        await onLoop(accepted.transport) { accepted.transport.send([0].span) }
        await recorder.wait { $0.messageCount == 21 }
        await onLoop(transport) {
            if pauses { transport.setReadingPaused(false) }
        }
        #expect(acknowledgesAtOnce(own))
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }
}
