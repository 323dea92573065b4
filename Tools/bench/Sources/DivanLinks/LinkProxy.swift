public import DivanTestKit
import Foundation
import Glibc

/// A local HTTP proxy whose tunnels are links with a rate and a latency.
///
/// It connects every `CONNECT` to 127.0.0.1, whatever the host is called, so that the peers of a
/// link appear to be on different machines. For a bench: it trusts its clients, and ends with the process.
public final class LinkProxy: Sendable {
    /// Where it listens, on 127.0.0.1.
    public let port: UInt16

    /// Listens; each tunnel has its own link.
    ///
    /// - Throws: `Loopback.Failure` if no port is available.
    public init(bytesPerSecond: Double, latency: Duration) throws(Loopback.Failure) {
        let (descriptor, port) = try Loopback.listen()
        self.port = port
        let direction = LinkDirection(bytesPerSecond: bytesPerSecond, latency: latency)
        Thread.detachNewThread {
            while case let client = accept(descriptor, nil, nil), client >= 0 {
                Thread.detachNewThread { Self.serve(client, direction) }
            }
        }
    }

    private static func serve(_ client: Int32, _ direction: LinkDirection) {
        guard let server = tunnel(client) else {
            _ = Loopback.send(Array("HTTP/1.1 502 Bad Gateway\r\n\r\n".utf8)[...], to: client)
            close(client)
            return
        }
        for descriptor in [client, server] {
            prepare(descriptor, holding: direction.mostByteCount)
        }
        _ = Loopback.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)[...], to: client)
        let pumps = [
            LinkPump(from: client, to: server, over: direction),
            LinkPump(from: server, to: client, over: direction),
        ]
        pumps[1].start()
        pumps[0].run()
        pumps[1].wait()
        close(client)
        close(server)
    }

    /// Reads the head of a request, and connects to the port that it names.
    private static func tunnel(_ client: Int32) -> Int32? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), head.count < 8_192 {
            var byte: UInt8 = 0
            guard recv(client, &byte, 1, 0) == 1 else { return nil }
            head.append(byte)
        }
        let words = String(decoding: head, as: UTF8.self).split(separator: " ")
        guard words.count > 1, words[0] == "CONNECT",
            let port = words[1].split(separator: ":").last.flatMap({ UInt16($0) })
        else { return nil }
        return Loopback.connect(to: port)
    }

    /// Small writes are sent at once, and the system buffers little more than the link does.
    private static func prepare(_ descriptor: Int32, holding byteCount: Int) {
        var isOn: Int32 = 1
        var room = Int32(min(max(byteCount, 65_536), 4 << 20))
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, size)
    }
}
