import DivanLinks
import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// The proxy over real sockets: what it transfers, and how long it takes.
@Suite struct LinkProxyTests {
    /// 100,000 bytes at 1 MB/s, 20 ms each way: 100 ms for the bytes, less those that never wait.
    @Test func `bytes arrive complete and not faster than the link allows`() throws {
        let (listening, port) = try Loopback.listen()
        defer { listening.close() }
        let proxy = try LinkProxy(bytesPerSecond: 1_000_000, latency: .milliseconds(20))
        let client = try #require(Loopback.connect(to: proxy.port))
        client.sendAll(Array("CONNECT far.example:\(port) HTTP/1.1\r\n\r\n".utf8))
        #expect(String(decoding: client.receive(upTo: 65_536), as: UTF8.self).contains("200"))
        let server = try listening.acceptBlocking()
        let sent = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let clock = ContinuousClock()
        let start = clock.now
        client.sendAll(sent)
        client.shutdownSending()
        var received: [UInt8] = []
        while case let piece = server.receive(upTo: 65_536), !piece.isEmpty { received += piece }
        #expect(received == sent)
        #expect(clock.now - start >= .milliseconds(115))
        server.sendAll([1, 2, 3])
        #expect(client.receive(upTo: 65_536) == [1, 2, 3])
        server.close()
        client.close()
    }

    /// Far more than the link holds, in both directions at the same time, so that both sources have to wait.
    @Test func `a full link delays its sources and loses nothing`() throws {
        let (listening, port) = try Loopback.listen()
        defer { listening.close() }
        let proxy = try LinkProxy(bytesPerSecond: 20_000_000, latency: .milliseconds(5))
        let client = try #require(Loopback.connect(to: proxy.port))
        client.sendAll(Array("CONNECT far.example:\(port) HTTP/1.1\r\n\r\n".utf8))
        _ = client.receive(upTo: 65_536)
        let server = try listening.acceptBlocking()
        let sent = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        for descriptor in [client, server] {
            Thread.detachNewThread {
                descriptor.sendAll(sent)
                descriptor.shutdownSending()
            }
        }
        for descriptor in [server, client] {
            var received: [UInt8] = []
            while case let piece = descriptor.receive(upTo: 65_536), !piece.isEmpty {
                received += piece
            }
            #expect(received == sent)
        }
        server.close()
        client.close()
    }

    @Test func `an invalid tunnel request is rejected`() throws {
        let proxy = try LinkProxy(bytesPerSecond: 1_000_000, latency: .zero)
        for head in ["CONNECT far.example:nowhere HTTP/1.1", "GET / HTTP/1.1"] {
            let client = try #require(Loopback.connect(to: proxy.port))
            client.sendAll(Array("\(head)\r\n\r\n".utf8))
            #expect(String(decoding: client.receive(upTo: 65_536), as: UTF8.self).contains("502"))
            client.close()
        }
    }
}
