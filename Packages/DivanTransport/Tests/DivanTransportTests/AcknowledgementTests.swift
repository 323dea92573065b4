import DivanTransport
import Glibc
import Testing

/// A peer that leaves Nagle's algorithm on waits for our acknowledgements (Sync Gateway does).
@Suite(.timeLimit(.minutes(5))) struct AcknowledgementTests {
    /// The descriptor of this process that is connected to a port, at the client's end.
    private func descriptor(to port: UInt16) -> Int32? {
        (0..<Int32(1_024)).first { descriptor in
            var address = sockaddr_in()
            var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
            // The system writes at most `byteCount` bytes of an address during the call.
            let status = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(descriptor, $0, &byteCount)
                }
            }
            return status == 0 && Int32(address.sin_family) == AF_INET
                && UInt16(bigEndian: address.sin_port) == port
        }
    }

    private func acknowledgesAtOnce(_ descriptor: Int32) -> Bool {
        var value: Int32 = -1
        var byteCount = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &value, &byteCount)
        return value == 1
    }

    /// A conversation teaches the system to hold acknowledgements back until a message goes out.
    ///
    /// When none does, we must tell it to acknowledge what was read.
    @Test func `what is read without an answer is acknowledged at once`() async throws {
        let server = try TestServer(echoes: false)
        let transport = client(port: server.port)
        let question: UInt8 = 1
        let recorder = Recorder(onMessage: { message in
            if message.first == question { transport.send([question].span) }
        })
        transport.start(recorder)
        await recorder.wait { $0.peer != nil }
        while server.connections.all.isEmpty { await Task.yield() }
        let accepted = try #require(server.connections.all.first)
        for count in 1...20 {
            await onLoop(accepted.transport) { accepted.transport.send([question].span) }
            await accepted.recorder.wait { $0.messageCount == count }
        }
        let own = try #require(descriptor(to: server.port))
        await onLoop(accepted.transport) { accepted.transport.send([0].span) }
        await recorder.wait { $0.messageCount == 21 }
        await onLoop(transport) {}
        #expect(acknowledgesAtOnce(own))
        transport.close(code: 1000, reason: "")
        await recorder.end()
    }
}
