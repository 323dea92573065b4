import DivanLinks
import DivanTestKit
import Foundation
import Glibc
import Testing

/// The proxy over real sockets: what it transfers, and how long it takes.
@Suite struct LinkProxyTests {
    /// 100,000 bytes at 1 MB/s, 20 ms each way: 100 ms for the bytes, less those that never wait.
    @Test func `bytes arrive complete and not faster than the link allows`() throws {
        let (listening, port) = try Loopback.listen()
        defer { close(listening) }
        let proxy = try LinkProxy(bytesPerSecond: 1_000_000, latency: .milliseconds(20))
        let client = try #require(Loopback.connect(to: proxy.port))
        Loopback.send(Array("CONNECT far.example:\(port) HTTP/1.1\r\n\r\n".utf8)[...], to: client)
        #expect(String(decoding: Loopback.receive(from: client), as: UTF8.self).contains("200"))
        let server = accept(listening, nil, nil)
        let sent = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let clock = ContinuousClock()
        let start = clock.now
        Loopback.send(sent[...], to: client)
        shutdown(client, Int32(SHUT_WR))
        var received: [UInt8] = []
        while case let piece = Loopback.receive(from: server), !piece.isEmpty { received += piece }
        #expect(received == sent)
        #expect(clock.now - start >= .milliseconds(115))
        Loopback.send([1, 2, 3][...], to: server)
        #expect(Loopback.receive(from: client) == [1, 2, 3])
        close(server)
        close(client)
    }

    /// Far more than the link holds, in both directions at the same time, so that both sources have to wait.
    @Test func `a full link delays its sources and loses nothing`() throws {
        let (listening, port) = try Loopback.listen()
        defer { close(listening) }
        let proxy = try LinkProxy(bytesPerSecond: 20_000_000, latency: .milliseconds(5))
        let client = try #require(Loopback.connect(to: proxy.port))
        Loopback.send(Array("CONNECT far.example:\(port) HTTP/1.1\r\n\r\n".utf8)[...], to: client)
        _ = Loopback.receive(from: client)
        let server = accept(listening, nil, nil)
        let sent = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        for descriptor in [client, server] {
            Thread.detachNewThread {
                Loopback.send(sent[...], to: descriptor)
                shutdown(descriptor, Int32(SHUT_WR))
            }
        }
        for descriptor in [server, client] {
            var received: [UInt8] = []
            while case let piece = Loopback.receive(from: descriptor), !piece.isEmpty {
                received += piece
            }
            #expect(received == sent)
        }
        close(server)
        close(client)
    }

    @Test func `an invalid tunnel request is rejected`() throws {
        let proxy = try LinkProxy(bytesPerSecond: 1_000_000, latency: .zero)
        for head in ["CONNECT far.example:nowhere HTTP/1.1", "GET / HTTP/1.1"] {
            let client = try #require(Loopback.connect(to: proxy.port))
            Loopback.send(Array("\(head)\r\n\r\n".utf8)[...], to: client)
            #expect(String(decoding: Loopback.receive(from: client), as: UTF8.self).contains("502"))
            close(client)
        }
    }
}
