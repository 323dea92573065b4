public import DivanPlatform
import DivanTestKit
import Foundation

/// A local HTTP proxy whose tunnels are links with a rate and a latency.
///
/// It connects every `CONNECT` to 127.0.0.1, whatever the host is called, so that the peers of a
/// link appear to be on different machines. For a bench: it trusts its clients, and ends with the process.
public final class LinkProxy: Sendable {
    /// Where it listens, on 127.0.0.1.
    public let port: UInt16

    /// Listens; each tunnel has its own link.
    ///
    /// - Throws: `SystemError` if no port is available.
    public init(bytesPerSecond: Double, latency: Duration) throws(SystemError) {
        let (listening, port) = try Loopback.listen()
        self.port = port
        let direction = LinkDirection(bytesPerSecond: bytesPerSecond, latency: latency)
        Thread.detachNewThread {
            while let client = try? listening.acceptBlocking() {
                Thread.detachNewThread { Self.serve(client, direction) }
            }
        }
    }

    private static func serve(_ client: Socket, _ direction: LinkDirection) {
        guard let server = tunnel(client) else {
            client.sendAll(Array("HTTP/1.1 502 Bad Gateway\r\n\r\n".utf8))
            client.close()
            return
        }
        for socket in [client, server] {
            prepare(socket, holding: direction.mostByteCount)
        }
        client.sendAll(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        let pumps = [
            LinkPump(from: client, to: server, over: direction),
            LinkPump(from: server, to: client, over: direction),
        ]
        pumps[1].start()
        pumps[0].run()
        pumps[1].wait()
        client.close()
        server.close()
    }

    /// Reads the head of a request, and connects to the port that it names.
    private static func tunnel(_ client: Socket) -> Socket? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), head.count < 8_192 {
            let piece = client.receive(upTo: 1)
            if piece.isEmpty { return nil }
            head += piece
        }
        let words = String(decoding: head, as: UTF8.self).split(separator: " ")
        guard words.count > 1, words[0] == "CONNECT",
            let port = words[1].split(separator: ":").last.flatMap({ UInt16($0) })
        else { return nil }
        return Loopback.connect(to: port)
    }

    /// Small writes are sent at once, and the system buffers little more than the link does.
    private static func prepare(_ socket: Socket, holding byteCount: Int) {
        try? socket.setOption(.noDelay, 1)
        try? socket.setOption(.receiveBuffer, Int32(min(max(byteCount, 65_536), 4 << 20)))
    }
}
